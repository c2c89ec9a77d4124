import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { Redis } from 'ioredis';
import type { TestCertificates } from './create-certificates.ts';
import { freePort } from './free-port.ts';
import { type OwnRedis, startRedis, tlsOptions } from './start-redis.ts';
import { waitFor } from './wait-for.ts';

export type OwnRedisCluster = Readonly<{
  /** Of the first three servers, separated by commas. */
  url: string;
  /** Kills the master of the slot that a key is in. */
  killMasterOf(key: string): Promise<void>;
  close(): Promise<void>;
}>;

const MASTERS = 3;
const SLOTS = 16_384;
/** A master is away when nobody has heard of it for so long. */
const NODE_TIMEOUT_MS = 1_500;

/**
 * Three masters and a replica of each, as processes, in an existing folder. It is ready when every slot is served and
 * every replica follows. With certificates everything is TLS. `args` is more of the command line of each.
 */
export async function startRedisCluster({
  dir,
  ...options
}: Readonly<{
  dir: string;
  certificates?: TestCertificates;
  args?: readonly string[];
}>): Promise<OwnRedisCluster> {
  const servers = await Promise.all(
    Array.from({ length: 2 * MASTERS }, (_, at) => startServer(join(dir, `${at}`), options)),
  );
  const [first] = servers;
  if (first === undefined) throw new Error('there is no server');
  await Promise.all(
    servers.map(async ({ ask }, at) => {
      await ask('CLUSTER', 'SET-CONFIG-EPOCH', at + 1);
      if (at < MASTERS) await ask('CLUSTER', 'ADDSLOTSRANGE', startOf(at), startOf(at + 1) - 1);
    }),
  );
  await Promise.all(
    servers
      .slice(1)
      .map(({ redis, busPort }) => first.ask('CLUSTER', 'MEET', '127.0.0.1', redis.port, busPort)),
  );
  const idOf = async (at: number) => String(await servers[at]?.ask('CLUSTER', 'MYID'));
  const isFull = async ({ ask }: Server) =>
    String(await ask('CLUSTER', 'INFO')).includes(`cluster_known_nodes:${servers.length}\r`);
  const untilAll = (describe: string, holds: (server: Server) => Promise<boolean>) =>
    waitFor(async () => (await Promise.all(servers.map(holds))).every(Boolean), {
      describe,
      timeoutMs: 20_000,
    });
  await untilAll('all servers of the cluster to meet', isFull);
  await Promise.all(
    servers.slice(MASTERS).map(async ({ ask }, at) => ask('CLUSTER', 'REPLICATE', await idOf(at))),
  );
  await untilAll('the cluster to be complete', async ({ ask }) => {
    const [cluster, replication] = await Promise.all([ask('CLUSTER', 'INFO'), ask('INFO', 'replication')]);
    return (
      /cluster_state:ok/.test(String(cluster)) &&
      /master_link_status:up|connected_slaves:1/.test(String(replication))
    );
  });
  return {
    url: `${options.certificates === undefined ? 'redis' : 'rediss'}://${servers
      .slice(0, MASTERS)
      .map(({ redis }) => `127.0.0.1:${redis.port}`)
      .join(',')}`,
    async killMasterOf(key) {
      const slot = Number(await first.ask('CLUSTER', 'KEYSLOT', key));
      const at = Array.from({ length: MASTERS }, (_, n) => n).findLast((n) => startOf(n) <= slot) ?? 0;
      await servers[at]?.redis.kill();
    },
    async close() {
      for (const { client } of servers) client.disconnect();
      await Promise.all(servers.map(({ redis }) => redis.kill()));
    },
  };
}

type Server = Awaited<ReturnType<typeof startServer>>;

async function startServer(
  dir: string,
  { certificates, args = [] }: Readonly<{ certificates?: TestCertificates; args?: readonly string[] }>,
) {
  await mkdir(dir);
  const busPort = await freePort();
  const redis: OwnRedis = await startRedis({
    dir,
    certificates,
    args: [
      ...args,
      '--cluster-enabled',
      'yes',
      '--cluster-port',
      String(busPort),
      '--cluster-node-timeout',
      String(NODE_TIMEOUT_MS),
      '--cluster-replica-validity-factor',
      '0',
      '--repl-diskless-sync-delay',
      '0',
    ],
  });
  const client = new Redis(redis.url, tlsOptions(certificates));
  client.on('error', () => undefined);
  const ask = (command: string, ...values: (string | number)[]) => client.call(command, ...values);
  return { redis, busPort, client, ask };
}

/** The first slot of a master. */
function startOf(at: number): number {
  return Math.floor((at * SLOTS) / MASTERS);
}
