import { execFile } from 'node:child_process';
import { chown, mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { Client } from 'pg';
import { startChild, untilReady, type RunningChild } from './child-process.ts';
import { freePort } from './free-port.ts';
import { testPgBinDir } from './test-environment.ts';

const run = promisify(execFile);

export type OwnPostgres = Readonly<{
  connectionString: string;
  port: number;
  /** `fast` ends sessions and writes a checkpoint; `immediate` is a crash that the next start recovers from. */
  stop(mode?: 'fast' | 'immediate'): Promise<void>;
  /** SIGKILL of the postmaster. */
  kill(): Promise<void>;
  /** Starts it again on the same port and data after `stop` or `kill`. */
  start(): Promise<void>;
}>;

export type OwnPostgresOptions = Readonly<{
  /** An existing, empty folder; its owner becomes the user who runs Postgres. */
  dir: string;
  port?: number;
  /** The folder with its programs. Default: TEST_PG_BIN_DIR. */
  binDir?: string;
  /** Server settings, such as `{ max_connections: '50' }`. */
  settings?: Readonly<Record<string, string>>;
}>;

/** A Postgres of its own for tests that break it. Needs TEST_PG_BIN_DIR, or `binDir`. */
export async function startPostgres(options: OwnPostgresOptions): Promise<OwnPostgres> {
  const binDir = options.binDir ?? testPgBinDir();
  const port = options.port ?? (await freePort());
  const connectionString = `postgres://postgres@127.0.0.1:${port}/postgres`;
  const account = await unprivilegedAccount();
  const dataDir = join(options.dir, 'data');
  await mkdir(dataDir, { mode: 0o700 });
  if (account !== undefined) {
    await chown(options.dir, account.uid, account.gid);
    await chown(dataDir, account.uid, account.gid);
  }
  await run(
    join(binDir, 'initdb'),
    ['-D', dataDir, '-U', 'postgres', '-A', 'trust', '-E', 'UTF8', '--no-sync'],
    {
      cwd: options.dir,
      ...account,
    },
  );

  // The operating system survives these tests, so nothing is gained by waiting for the disk.
  const settings = { fsync: 'off', listen_addresses: '127.0.0.1', ...options.settings };
  const args = ['-D', dataDir, '-p', String(port), '-k', options.dir];
  for (const [name, value] of Object.entries(settings)) args.push('-c', `${name}=${value}`);

  let server: RunningChild | undefined;
  async function start(): Promise<void> {
    const child = startChild(join(binDir, 'postgres'), args, { cwd: options.dir, ...account });
    server = child;
    await untilReady(child, () => answersQuery(connectionString), {
      timeoutMs: 30_000,
      describe: 'postgres to answer',
    });
  }

  await start();
  return {
    connectionString,
    port,
    start,
    stop: async (mode = 'fast') => server?.kill(mode === 'fast' ? 'SIGINT' : 'SIGQUIT'),
    kill: async () => server?.kill('SIGKILL'),
  };
}

/** Postgres refuses to run as root: the account that comes with its package, or undefined when we are not root. */
async function unprivilegedAccount(): Promise<{ uid: number; gid: number } | undefined> {
  if (process.getuid?.() !== 0) return undefined;
  const [uid, gid] = await Promise.all(['-u', '-g'].map((flag) => run('id', [flag, 'postgres'])));
  return { uid: Number(uid?.stdout), gid: Number(gid?.stdout) };
}

async function answersQuery(connectionString: string): Promise<boolean> {
  const client = new Client({ connectionString, connectionTimeoutMillis: 2_000 });
  client.on('error', () => undefined);
  try {
    await client.connect();
    await client.query('select 1');
    return true;
  } finally {
    await client.end().catch(() => undefined);
  }
}
