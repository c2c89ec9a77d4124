import { mkdtemp, chmod, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Client } from 'pg';
import { startChild, untilReady } from './child-process.ts';
import { freePort } from './free-port.ts';
import { unprivilegedAccount } from './start-postgres.ts';
import { testPgbouncer } from './test-environment.ts';

export type RunningPgbouncer = Readonly<{
  /** The address of the target, through it. */
  url: string;
  stop(): Promise<void>;
}>;

/**
 * PgBouncer before a Postgres, which shares connections by transaction. Needs TEST_PGBOUNCER.
 *
 * @param target the URL of a database, with user and password
 * @param connections to Postgres, for any number of clients
 */
export async function startPgbouncer(target: string, connections: number): Promise<RunningPgbouncer> {
  const { hostname, port, username, password } = new URL(target);
  const account = await unprivilegedAccount();
  const dir = await mkdtemp(join(tmpdir(), 'factmill-pgbouncer-'));
  await chmod(dir, 0o755);
  const ownPort = await freePort();
  await writeFile(join(dir, 'users.txt'), `"${username}" "${password}"\n`, { mode: 0o644 });
  const settings = {
    listen_addr: '127.0.0.1',
    listen_port: ownPort,
    unix_socket_dir: '',
    auth_type: 'trust',
    auth_file: join(dir, 'users.txt'),
    pool_mode: 'transaction',
    default_pool_size: connections,
    // Sent by pg at the start of a connection; docs/operations/running.md says the same.
    ignore_startup_parameters: 'options,statement_timeout',
  };
  const lines = Object.entries(settings).map(([name, value]) => `${name} = ${value}`);
  const file = join(dir, 'pgbouncer.ini');
  await writeFile(
    file,
    ['[databases]', `* = host=${hostname} port=${port || 5432}`, '[pgbouncer]', ...lines, ''].join('\n'),
    { mode: 0o644 },
  );
  const child = startChild(testPgbouncer(), [file], { cwd: dir, ...account });
  const url = new URL(target);
  url.host = `127.0.0.1:${ownPort}`;
  await untilReady(child, () => answers(url.href), { timeoutMs: 30_000, describe: 'pgbouncer to answer' });
  return {
    url: url.href,
    async stop() {
      await child.kill('SIGTERM');
      await rm(dir, { recursive: true, force: true });
    },
  };
}

async function answers(connectionString: string): Promise<boolean> {
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
