import { Redis } from 'ioredis';
import { startChild, untilReady, type RunningChild } from './child-process.ts';
import { freePort } from './free-port.ts';

export type OwnRedis = Readonly<{
  url: string;
  port: number;
  /** Orderly end, as on SIGTERM. */
  stop(): Promise<void>;
  /** SIGSTOP: connections stay open and nothing answers. */
  freeze(): Promise<void>;
  /** SIGKILL. */
  kill(): Promise<void>;
  /** Starts it again on the same port and data after `stop` or `kill`. */
  start(): Promise<void>;
}>;

export type OwnRedisOptions = Readonly<{
  /** An existing folder for the append-only file. */
  dir: string;
  port?: number;
  /** More of its command line, such as `['--maxmemory-policy', 'allkeys-lru']`. */
  args?: readonly string[];
}>;

/** A Redis of its own, set as in production (append-only file, no eviction), for tests that break it. */
export async function startRedis(options: OwnRedisOptions): Promise<OwnRedis> {
  const port = options.port ?? (await freePort());
  const url = `redis://127.0.0.1:${port}`;
  let server: RunningChild | undefined;

  async function start(): Promise<void> {
    const child = startChild(
      'redis-server',
      [
        ...toArgs({ port: String(port), bind: '127.0.0.1', dir: options.dir }),
        ...toArgs({ appendonly: 'yes', appendfsync: 'everysec', save: '', 'maxmemory-policy': 'noeviction' }),
        ...(options.args ?? []),
      ],
      {},
    );
    server = child;
    await untilReady(child, () => answersPing(url), {
      timeoutMs: 20_000,
      describe: 'redis-server to answer',
    });
  }

  await start();
  return {
    url,
    port,
    start,
    stop: async () => server?.kill('SIGTERM'),
    freeze: async () => server?.kill('SIGSTOP'),
    kill: async () => server?.kill('SIGKILL'),
  };
}

function toArgs(settings: Readonly<Record<string, string>>): string[] {
  return Object.entries(settings).flatMap(([name, value]) => [`--${name}`, value]);
}

async function answersPing(url: string): Promise<boolean> {
  const redis = new Redis(url, { lazyConnect: true, maxRetriesPerRequest: 0, retryStrategy: () => null });
  redis.on('error', () => undefined);
  try {
    await redis.connect();
    return (await redis.ping()) === 'PONG';
  } finally {
    redis.disconnect();
  }
}
