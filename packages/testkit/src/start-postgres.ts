import { execFile } from 'node:child_process';
import { chown, mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { Client } from 'pg';
import { startChild, untilReady, type RunningChild } from './child-process.ts';
import type { TestCertificates } from './create-certificates.ts';
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
  /** A user who has to give a password; everybody else gets in without. */
  userWithPassword?: string;
  /** Server settings, such as `{ max_connections: '50' }`. */
  settings?: Readonly<Record<string, string>>;
  /** With TLS. The user `postgres` then shows a certificate with TLS, and needs none without. */
  certificates?: TestCertificates;
  /** Makes it a streaming replica of another server of ours. */
  replicaOf?: OwnPostgres;
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
  const asAccount = { cwd: options.dir, ...account };
  if (options.replicaOf === undefined) {
    const args = ['-D', dataDir, '-U', 'postgres', '-A', 'trust', '-E', 'UTF8', '--no-sync'];
    await run(join(binDir, 'initdb'), args, asAccount);
  } else {
    const primary = ['-h', '127.0.0.1', '-p', String(options.replicaOf.port), '-U', 'postgres'];
    const args = ['-D', dataDir, ...primary, '--write-recovery-conf', '--checkpoint=fast', '--no-sync'];
    await run(join(binDir, 'pg_basebackup'), args, asAccount);
  }
  const tls =
    options.certificates === undefined ? {} : await writeTls(dataDir, options.certificates, account);

  if (options.userWithPassword !== undefined) {
    // The first line that fits counts.
    const rules = join(dataDir, 'pg_hba.conf');
    const line = `host all ${options.userWithPassword} 127.0.0.1/32 scram-sha-256\n`;
    await writeFile(rules, `${line}${await readFile(rules, 'utf8')}`);
  }

  // The operating system survives these tests, so nothing is gained by waiting for the disk.
  const settings = { fsync: 'off', listen_addresses: '127.0.0.1', ...tls, ...options.settings };
  const args = ['-D', dataDir, '-p', String(port), '-k', options.dir];
  for (const [name, value] of Object.entries(settings)) args.push('-c', `${name}=${value}`);

  let server: RunningChild | undefined;
  async function start(): Promise<void> {
    const child = startChild(join(binDir, 'postgres'), args, asAccount);
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

/** Writes certificates to where the server finds them; resolves to its settings. */
async function writeTls(
  dataDir: string,
  { ca, server }: TestCertificates,
  account: Account | undefined,
): Promise<Readonly<Record<string, string>>> {
  const files = { 'ca.pem': ca.cert, 'server.pem': server.cert, 'server.key': server.key };
  for (const [name, text] of Object.entries(files)) {
    const path = join(dataDir, name);
    await writeFile(path, text, { mode: 0o600 });
    if (account !== undefined) await chown(path, account.uid, account.gid);
  }
  const rules = join(dataDir, 'pg_hba.conf');
  const rest = await readFile(rules, 'utf8');
  await writeFile(rules, `hostssl all postgres 127.0.0.1/32 cert\n${rest}`);
  return { ssl: 'on', ssl_ca_file: 'ca.pem', ssl_cert_file: 'server.pem', ssl_key_file: 'server.key' };
}

type Account = Readonly<{ uid: number; gid: number }>;

/**
 * Postgres and PgBouncer refuse to run as root: the account that comes with their packages, or undefined when we are not
 * root.
 */
export async function unprivilegedAccount(): Promise<Account | undefined> {
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
