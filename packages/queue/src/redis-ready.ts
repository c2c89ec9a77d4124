import { AppError } from '@factmill/errors';
import { openRedis, parseAddress, type RedisAddress } from '@factmill/redis';
import { Cluster, type Redis } from 'ioredis';
import { errorCodeOf } from './error-code.ts';
import { toRedisError } from './redis-error.ts';
import type { QueueLogger } from './types.ts';

const OLDEST_VERSION = [6, 2] as const;
const CONNECT_TIMEOUT_MS = 3_000;
const ONCE = {
  lazyConnect: true,
  connectTimeout: CONNECT_TIMEOUT_MS,
  commandTimeout: CONNECT_TIMEOUT_MS,
  maxRetriesPerRequest: 0,
  retryStrategy: null,
  enableReadyCheck: false,
} as const;

/**
 * The start-up check of Redis: reachable, version 6.2 or later, and set to never evict. With any other maxmemory-policy
 * Redis may throw away locks and jobs when memory runs short, and workers stop without an error. Of Sentinels and
 * clusters every server that answers is checked, because each replica may become a master.
 *
 * @throws AppError `config_invalid` for a wrong password, mode, certificate, version or policy; `queue_unavailable`
 * when no server can be reached. Messages never contain an address.
 */
export async function assertRedisReady(address: RedisAddress, deps: { logger: QueueLogger }): Promise<void> {
  const redis = openRedis(address, ONCE);
  let lastError: unknown;
  redis.on('error', (error) => {
    lastError = error;
  });
  try {
    await redis.connect();
    if (redis instanceof Cluster) await assertSome(redis.nodes(), deps.logger);
    else await assertMaster(redis, address, deps.logger);
  } catch (error) {
    throw error instanceof AppError ? error : toRedisError(lastError ?? error, address);
  } finally {
    redis.disconnect();
  }
}

async function assertMaster(redis: Redis, address: RedisAddress, logger: QueueLogger): Promise<void> {
  const info = await assertServer(redis, logger);
  if (fieldOf(info, 'cluster_enabled') === '1') {
    throw new AppError(
      'config_invalid',
      'The Redis at REDIS_URL is part of a cluster; set REDIS_MODE=cluster.',
    );
  }
  if (address.mode !== 'sentinel') return;
  const replicas = [...info.matchAll(/^slave\d+:ip=(.*?),port=(\d+)/gm)].map(([, host = '', port = '']) =>
    openReplica(address, host, port),
  );
  try {
    await assertSome(replicas, logger);
  } finally {
    for (const replica of replicas) replica.disconnect();
  }
}

/** A replica as its master sees it, with the login of the master. */
function openReplica(address: RedisAddress, host: string, port: string): Redis {
  const { username = '', password = '', isTls } = parseAddress(address);
  const login = `${encodeURIComponent(username)}:${encodeURIComponent(password)}@`;
  const server = host.includes(':') ? `[${host}]` : host;
  const url = `${isTls ? 'rediss' : 'redis'}://${login}${server}:${port}`;
  const replica = openRedis({ ...address, mode: 'single', url }, ONCE) as Redis;
  replica.on('error', () => undefined);
  return replica;
}

/** Checks all servers that can be reached. */
async function assertSome(servers: readonly Redis[], logger: QueueLogger): Promise<void> {
  const failures: unknown[] = [];
  const check = (server: Redis) =>
    assertServer(server, logger).catch((error: unknown) => {
      if (error instanceof AppError) throw error;
      failures.push(error);
    });
  await Promise.all(servers.map(check));
  if (failures.length > 0 && failures.length === servers.length) throw failures[0];
  if (failures.length === 0) return;
  logger.warn(
    { servers: failures.length, code: errorCodeOf(failures[0]) },
    'some servers of Redis could not be checked; make sure that their maxmemory-policy is noeviction',
  );
}

async function assertServer(redis: Redis, logger: QueueLogger): Promise<string> {
  const info = await redis.info();
  assertVersion(info);
  assertPolicy(fieldOf(info, 'maxmemory_policy') ?? (await askPolicy(redis)), logger);
  return info;
}

function fieldOf(info: string, name: string): string | undefined {
  return new RegExp(`^${name}:(.*?)\\r?$`, 'm').exec(info)?.[1];
}

function assertVersion(info: string): void {
  const version = fieldOf(info, 'redis_version') ?? '0.0';
  const [major = 0, minor = 0] = version.split('.').map(Number);
  if (major > OLDEST_VERSION[0] || (major === OLDEST_VERSION[0] && minor >= OLDEST_VERSION[1])) return;
  throw new AppError('config_invalid', `Redis ${version} is too old; 6.2 or later is needed.`);
}

/** Some managed servers omit the policy from INFO and forbid CONFIG: then it is unknown. */
async function askPolicy(redis: Redis): Promise<string | undefined> {
  try {
    return (await redis.config('GET', 'maxmemory-policy'))[1];
  } catch {
    return undefined;
  }
}

function assertPolicy(policy: string | undefined, logger: QueueLogger): void {
  if (policy === 'noeviction') return;
  if (policy === undefined) {
    logger.warn({}, 'Redis does not tell its maxmemory-policy; make sure that it is noeviction');
    return;
  }
  throw new AppError(
    'config_invalid',
    `Redis has maxmemory-policy ${policy}, which may throw jobs away; set "maxmemory-policy noeviction" in ` +
      'redis.conf of every server, or run CONFIG SET maxmemory-policy noeviction there.',
  );
}
