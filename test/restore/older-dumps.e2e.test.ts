import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { createPool, migrate } from '@factmill/database';
import { testPgBinDir } from '@factmill/testkit';
import { afterEach, beforeEach, expect, jest, test } from '@jest/globals';
import { type DatabaseServer, digestTables, startDatabaseServer } from './database-server.ts';
import { createOperator, documentedCommands, type Operator } from './documented-commands.ts';
import { newestPostgres } from './newest-postgres.ts';

jest.setTimeout(480_000);

const DATABASE_AT_0017 = fileURLToPath(
  new URL('../../packages/database/src/migrate/database-at-0017.fixture.sql', import.meta.url),
);
const quiet = { info: () => undefined, warn: () => undefined };
const [newest] = await newestPostgres(testPgBinDir());

let old: DatabaseServer;
let server: DatabaseServer;
let folder: string;
/** With the tools of the old server, and with those of the new one. */
let before: Operator;
let operator: Operator;
beforeEach(async () => {
  if (newest === undefined) throw new Error('there is no PostgreSQL');
  folder = await mkdtemp(join(tmpdir(), 'factmill-older-'));
  [old, server] = await Promise.all([
    startDatabaseServer(testPgBinDir()),
    startDatabaseServer(newest.binDir),
  ]);
  await server.admin.query('alter role factmill nosuperuser');
  const surroundings = {
    folder,
    env: {
      PGHOST: '127.0.0.1',
      PGPORT: String(server.port),
      PGUSER: 'postgres',
      DATABASE_OWNER_URL: old.urlOf('factmill'),
      RESTORED_URL: server.serviceUrlOf('factmill_restored'),
      RESTORED_OWNER_URL: server.urlOf('factmill_restored'),
    },
  };
  before = await createOperator({ ...surroundings, pgBinDir: testPgBinDir() });
  operator = await createOperator({ ...surroundings, pgBinDir: newest.binDir });
});
afterEach(async () => {
  await Promise.all([old.close(), server.close()]);
  await rm(folder, { recursive: true, force: true });
});

/** What was stated, and what the computed columns make of it. */
async function readMemories(connectionString: string): Promise<unknown> {
  return withPool(connectionString, async (pool) => {
    const { rows } = await pool.query(
      'select id, content, search_text, search_terms::text, is_current from memories order by id',
    );
    return rows;
  });
}

async function remember(connectionString: string): Promise<void> {
  await withPool(connectionString, (pool) =>
    pool.query(
      `insert into memories (id, tenant_id, user_id, kind, content, source, content_hash, stated_at, valid_from)
       select gen_random_uuid(), tenants.id, 'maya', 'note', said, 'test', sha256(convert_to(said, 'UTF8')), now(), now()
         from tenants, unnest(array['The user likes tea.', '用户住在北京。', E'Two\\nlines; and a \\\\.']) as said`,
    ),
  );
}

async function withPool<T>(
  connectionString: string,
  work: (pool: ReturnType<typeof createPool>) => Promise<T>,
): Promise<T> {
  const pool = createPool({ connectionString, max: 1, applicationName: 'e2e', logger: quiet });
  try {
    return await work(pool);
  } finally {
    await pool.close();
  }
}

const RESTORE = '### Restore with a Postgres of your own';

test('a dump of the installed PostgreSQL is restored into the newest', async () => {
  await migrate(old.urlOf('factmill'), { logger: quiet });
  await remember(old.urlOf('factmill'));
  const [backup = '', prepare = '', restore = ''] = await documentedCommands(RESTORE);
  await before(backup);
  await operator(prepare);
  await operator(restore);
  expect(await digestTables(server.urlOf('factmill_restored'))).toEqual(
    await digestTables(old.urlOf('factmill')),
  );
});

test('a dump from before migration 18 cannot be restored as it is, leaves nothing, and can be rescued', async () => {
  const fixture = await readFile(DATABASE_AT_0017, 'utf8');
  await withPool(old.urlOf('factmill'), (pool) => pool.query(fixture));
  await remember(old.urlOf('factmill'));

  const [backup = '', prepare = '', restore = ''] = await documentedCommands(RESTORE);
  await before(backup);
  await operator(prepare);
  await expect(operator(restore)).rejects.toThrow('function search_spaced(text) does not exist');
  expect(await digestTables(server.urlOf('factmill_restored'))).toEqual({});

  const [rescue = '', ...others] = await documentedCommands('### Restore a dump from before migration 18');
  expect(others).toEqual([]);
  await operator(rescue);
  expect(await readMemories(server.urlOf('factmill_restored'))).toEqual(
    await readMemories(old.urlOf('factmill')),
  );
});
