import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createPool, type DatabasePool } from '@factmill/database';
import { startPostgres } from '@factmill/testkit';

const quiet = { info: () => undefined, warn: () => undefined };

export type DatabaseServer = Readonly<{
  port: number;
  /** As an administrator, in the database `postgres`. */
  admin: DatabasePool;
  /** The address of a database, for the role `factmill`, which owns the tables. */
  urlOf(database: string): string;
  /** The same for the user of the services, which `migrate` creates. */
  serviceUrlOf(database: string): string;
  close(): Promise<void>;
}>;

/**
 * A Postgres of its own with the role `factmill` and the empty database `factmill`, as docker-compose.yml makes them:
 * the role is a superuser.
 */
export async function startDatabaseServer(binDir: string): Promise<DatabaseServer> {
  const dir = await mkdtemp(join(tmpdir(), 'factmill-restore-'));
  const server = await startPostgres({ dir, binDir, settings: { jit: 'off' } });
  const admin = createPool({
    connectionString: server.connectionString,
    max: 1,
    applicationName: 'e2e',
    logger: quiet,
  });
  await admin.query('create role factmill superuser login');
  await admin.query('create database factmill owner factmill template template0');
  const urlOf = (user: string, database: string) => `postgres://${user}@127.0.0.1:${server.port}/${database}`;
  return {
    port: server.port,
    admin,
    urlOf: (database) => urlOf('factmill', database),
    serviceUrlOf: (database) => urlOf('factmill_service', database),
    async close() {
      await admin.close();
      await server.stop();
      await rm(dir, { recursive: true, force: true });
    },
  };
}

/**
 * All tables of a database with a digest of their rows, whatever their order. `event_clock` says of which server the
 * database is, so `migrate` changes it after a restore.
 */
export async function digestTables(connectionString: string): Promise<Record<string, string>> {
  const pool = createPool({ connectionString, max: 1, applicationName: 'e2e', logger: quiet });
  try {
    const { rows } = await pool.query<{ name: string }>(
      `select quote_ident(relname) as name from pg_class
       where relnamespace = 'public'::regnamespace and relkind = 'r' and relname <> 'event_clock'
       order by relname`,
    );
    const digests: Record<string, string> = {};
    for (const { name } of rows) {
      const { digest } = await pool.one<{ digest: string }>(
        `select count(*) || ' ' || md5(coalesce(string_agg(line, ' ' order by line collate "C"), '')) as digest
         from (select t::text as line from ${name} t) as lines`,
      );
      digests[name] = digest;
    }
    return digests;
  } finally {
    await pool.close();
  }
}
