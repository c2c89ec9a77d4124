import { Cluster, Redis, type RedisOptions } from 'ioredis';
import { type ParsedAddress, parseAddress, type RedisAddress } from './address.ts';

/** A connection to the server that takes writes, or to all servers of a cluster. */
export type RedisClient = Redis | Cluster;

/** Options of ioredis for one server. */
export type RedisConnectionOptions = Pick<
  RedisOptions,
  | 'autoResendUnfulfilledCommands'
  | 'commandTimeout'
  | 'connectTimeout'
  | 'enableAutoPipelining'
  | 'enableOfflineQueue'
  | 'enableReadyCheck'
  | 'lazyConnect'
  | 'maxRetriesPerRequest'
  | 'retryStrategy'
  | 'socketTimeout'
>;

/** A Sentinel that is silent for so long is passed over. */
const SENTINEL_ANSWER_MS = 1_000;

/** ioredis: connect again, and send the command again that was refused. */
const RECONNECT_AND_RESEND = 2 as const;

/**
 * Opens a connection, which is made and remade in the background. For a cluster the options apply to the connection
 * with each of its servers, and `retryStrategy`, `enableOfflineQueue`, `enableAutoPipelining` and `lazyConnect` to the
 * cluster. Without a `retryStrategy` (null), Sentinels are asked once.
 *
 * A server that has become a replica refuses writes, so its connection is closed: the next one finds the new master.
 */
export function openRedis(address: RedisAddress, options: RedisConnectionOptions): RedisClient {
  const parsed = parseAddress(address);
  const { username, password, db, isTls } = parsed;
  const common = {
    ...options,
    reconnectOnError: (error: Error) => (error.message.includes('READONLY') ? RECONNECT_AND_RESEND : false),
    ...(username === undefined ? {} : { username }),
    ...(password === undefined ? {} : { password }),
    ...(isTls ? { tls: { ...address.tls } } : {}),
  };
  const [{ host, port } = { host: 'localhost', port: 6379 }] = parsed.nodes;
  if (address.mode === 'cluster') return openCluster(parsed, common);
  return new Redis({
    ...common,
    db,
    ...(address.mode === 'sentinel' ? sentinelOptions(address, parsed, options) : { host, port }),
  });
}

function sentinelOptions(
  { tls, sentinelMaster = 'mymaster', sentinelPassword }: RedisAddress,
  { nodes, isTls }: ParsedAddress,
  { retryStrategy }: RedisConnectionOptions,
) {
  return {
    sentinels: [...nodes],
    name: sentinelMaster,
    sentinelCommandTimeout: SENTINEL_ANSWER_MS,
    ...(retryStrategy === null ? { sentinelRetryStrategy: () => null } : {}),
    ...(sentinelPassword === undefined ? {} : { sentinelPassword }),
    ...(isTls ? { sentinelTLS: { ...tls }, enableTLSForSentinelMode: true } : {}),
  };
}

function openCluster(
  { nodes, isTls }: ParsedAddress,
  common: RedisConnectionOptions & Pick<RedisOptions, 'password' | 'reconnectOnError' | 'tls' | 'username'>,
): Cluster {
  const { retryStrategy, enableOfflineQueue, enableAutoPipelining, lazyConnect, ...redisOptions } = common;
  return new Cluster([...nodes], {
    redisOptions,
    ...(retryStrategy === undefined ? {} : { clusterRetryStrategy: retryStrategy }),
    enableOfflineQueue: enableOfflineQueue ?? true,
    enableAutoPipelining: enableAutoPipelining ?? false,
    lazyConnect: lazyConnect ?? false,
    // Certificates are for names; ioredis looks them up before it connects otherwise.
    ...(isTls ? { dnsLookup: (name, found) => found(null, name) } : {}),
  });
}

/** Ends a connection. ioredis leaves socket timeouts behind, which would keep the process alive until they end. */
export function closeRedis(client: RedisClient): void {
  const connections = client instanceof Cluster ? client.nodes() : [client];
  client.disconnect();
  for (const connection of connections) clearTimeout(connection['socketTimeoutTimer']);
}
