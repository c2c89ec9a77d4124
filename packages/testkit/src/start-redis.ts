import { Redis } from 'ioredis';
import { startChild, untilReady, type RunningChild } from './child-process.ts';
import type { TestCertificates } from './create-certificates.ts';
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
  /** Default: none is asked for. */
  password?: string;
  /** It speaks TLS only, also to its replicas and in a cluster, and asks for a certificate. */
  certificates?: TestCertificates | undefined;
  /** More of its command line, such as `['--maxmemory-policy', 'allkeys-lru']`. */
  args?: readonly string[];
}>;

/** A Redis of its own, set as in production (append-only file, no eviction), for tests that break it. */
export async function startRedis(options: OwnRedisOptions): Promise<OwnRedis> {
  const port = options.port ?? (await freePort());
  const { password, certificates } = options;
  const url = `${certificates === undefined ? 'redis' : 'rediss'}://${password === undefined ? '' : `:${password}@`}127.0.0.1:${port}`;
  let server: RunningChild | undefined;

  async function start(): Promise<void> {
    const child = startChild(
      'redis-server',
      [
        ...toArgs({ ...listenAt(port, certificates), bind: '127.0.0.1', dir: options.dir }),
        ...toArgs({ appendonly: 'yes', appendfsync: 'everysec', save: '', 'maxmemory-policy': 'noeviction' }),
        ...(password === undefined ? [] : ['--requirepass', password]),
        ...(options.args ?? []),
      ],
      {},
    );
    server = child;
    await untilReady(child, () => answersPing(url, certificates), {
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

/** The settings of a server's or Sentinel's port. */
export function listenAt(
  port: number,
  certificates: TestCertificates | undefined,
): Readonly<Record<string, string>> {
  if (certificates === undefined) return { port: String(port) };
  const { ca, server } = certificates;
  return {
    port: '0',
    'tls-port': String(port),
    'tls-ca-cert-file': ca.certFile,
    'tls-cert-file': server.certFile,
    'tls-key-file': server.keyFile,
    'tls-replication': 'yes',
    'tls-cluster': 'yes',
  };
}

/** What ioredis needs to reach such a server. */
export function tlsOptions(certificates: TestCertificates | undefined) {
  if (certificates === undefined) return {};
  const { ca, client } = certificates;
  return { tls: { ca: ca.cert, cert: client.cert, key: client.key } };
}

function toArgs(settings: Readonly<Record<string, string>>): string[] {
  return Object.entries(settings).flatMap(([name, value]) => [`--${name}`, value]);
}

async function answersPing(url: string, certificates: TestCertificates | undefined): Promise<boolean> {
  const redis = new Redis(url, {
    lazyConnect: true,
    maxRetriesPerRequest: 0,
    retryStrategy: () => null,
    ...tlsOptions(certificates),
  });
  redis.on('error', () => undefined);
  try {
    await redis.connect();
    return (await redis.ping()) === 'PONG';
  } finally {
    redis.disconnect();
  }
}
