import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Redis } from 'ioredis';
import { startChild } from './child-process.ts';
import type { TestCertificates } from './create-certificates.ts';
import { freePort } from './free-port.ts';
import { listenAt, startRedis, tlsOptions } from './start-redis.ts';
import { waitFor } from './wait-for.ts';

export type OwnRedisSentinels = Readonly<{
  /** Addresses of the Sentinels, separated by commas, with the password of the Redis that they watch. */
  url: string;
  master: string;
  sentinelPassword: string;
  /** Kills the server that is the master at the start. */
  killMaster(): Promise<void>;
  close(): Promise<void>;
}>;

const MASTER = 'queue';
const PASSWORD = 'of-redis';
const SENTINEL_PASSWORD = 'of-sentinels';
const SENTINELS = 3;
/** A master is away when it has not answered for so long. */
const DOWN_AFTER_MS = 1_500;

/**
 * A master, a replica and three Sentinels, as processes, in an existing folder. Two Sentinels must agree. With
 * certificates everything is TLS. `args` is more of the command line of master and replica.
 */
export async function startRedisSentinels({
  dir,
  certificates,
  args: more = [],
}: Readonly<{
  dir: string;
  certificates?: TestCertificates;
  args?: readonly string[];
}>): Promise<OwnRedisSentinels> {
  const startServer = async (name: string, ...args: string[]) => {
    await mkdir(join(dir, name));
    return startRedis({
      dir: join(dir, name),
      password: PASSWORD,
      certificates,
      args: ['--masterauth', PASSWORD, '--repl-diskless-sync-delay', '0', ...more, ...args],
    });
  };
  const master = await startServer('master');
  const replica = await startServer('replica', '--replicaof', `127.0.0.1 ${master.port}`);
  await untilSays(replica.url, ['INFO', 'replication'], /master_link_status:up/, certificates);
  const sentinels = await Promise.all(
    Array.from({ length: SENTINELS }, (_, at) =>
      startSentinel(join(dir, `sentinel-${at}`), master.port, certificates),
    ),
  );
  await Promise.all(
    sentinels.map(({ url }) =>
      untilSays(
        url,
        ['SENTINEL', 'MASTER', MASTER],
        new RegExp(`num-slaves,1,(?=.*num-other-sentinels,${SENTINELS - 1},)`),
        certificates,
      ),
    ),
  );
  return {
    url: `${certificates === undefined ? 'redis' : 'rediss'}://:${PASSWORD}@${sentinels.map(({ port }) => `127.0.0.1:${port}`).join(',')}`,
    master: MASTER,
    sentinelPassword: SENTINEL_PASSWORD,
    killMaster: master.kill,
    close: async () => {
      await Promise.all([master.kill(), replica.kill(), ...sentinels.map(({ child }) => child.kill())]);
    },
  };
}

async function startSentinel(dir: string, masterPort: number, certificates: TestCertificates | undefined) {
  const port = await freePort();
  await mkdir(dir);
  const file = join(dir, 'sentinel.conf');
  // A Sentinel writes into its file what it learns.
  await writeFile(
    file,
    `${Object.entries(listenAt(port, certificates))
      .map((setting) => setting.join(' '))
      .join('\n')}
bind 127.0.0.1
dir ${dir}
requirepass ${SENTINEL_PASSWORD}
sentinel sentinel-pass ${SENTINEL_PASSWORD}
sentinel monitor ${MASTER} 127.0.0.1 ${masterPort} 2
sentinel auth-pass ${MASTER} ${PASSWORD}
sentinel down-after-milliseconds ${MASTER} ${DOWN_AFTER_MS}
sentinel failover-timeout ${MASTER} 6000
`,
  );
  const child = startChild('redis-server', [file, '--sentinel'], {});
  return { child, port, url: `redis://:${SENTINEL_PASSWORD}@127.0.0.1:${port}` };
}

async function untilSays(
  url: string,
  [command, ...args]: [string, ...string[]],
  what: RegExp,
  certificates: TestCertificates | undefined,
): Promise<void> {
  const client = new Redis(url, {
    maxRetriesPerRequest: null,
    retryStrategy: () => 50,
    ...tlsOptions(certificates),
  });
  client.on('error', () => undefined);
  try {
    await waitFor(async () => what.test(String(await client.call(command, ...args))), {
      describe: `${command} to say ${what}`,
      timeoutMs: 20_000,
    });
  } finally {
    client.disconnect();
  }
}
