import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createEmptyDatabase, type TestDatabase } from '@factmill/testkit';
import { startEmbedded } from '../embedded/start-embedded.ts';
import { createPool } from '../pool/create-pool.ts';
import type { DatabasePool, Sql } from '../pool/sql.ts';
import { DEFAULT_TENANT_ID } from '../queries/operators/tenants.ts';
import { insertApiKey, listApiKeys } from '../queries/operators/api-keys.ts';
import { checkSchema } from './check-schema.ts';
import { dumpSchema } from './dump-schema.ts';
import { migrate } from './migrate.ts';
import { loadMigrationFiles } from './migration-files.ts';
import { SCHEMA_DIRECTORY } from './schema-files.ts';

// A new database begins with the baseline. One from before it is brought to the same schema and loses nothing.

const logger = { info: () => undefined, warn: () => undefined };
const SECOND_TENANT = '00000000-0000-7000-8000-000000000002';
const MIGRATIONS = join(SCHEMA_DIRECTORY, 'migrations');
const fixture = (name: string) => readFile(new URL(name, import.meta.url), 'utf8');

let database: TestDatabase;
let pool: DatabasePool;
beforeEach(async () => {
  database = await createEmptyDatabase();
  pool = openPool();
  const loader = openPool();
  await loader.query(await fixture('database-at-0017.fixture.sql'));
  await loader.close();
});
afterEach(async () => {
  await pool.close();
  await database.drop();
});

function openPool(): DatabasePool {
  const { connectionString } = database;
  return createPool({ connectionString, max: 2, applicationName: 'factmill-test', logger });
}

const run = () => migrate(database.connectionString, { logger });

type Rows = Readonly<Record<string, readonly Readonly<Record<string, unknown>>[]>>;

/** All rows of all tables. */
async function readRows(sql: Sql): Promise<Rows> {
  const { rows: tables } = await sql.query<{ name: string }>(
    `select relname::text as name from pg_class
     where relnamespace = 'public'::regnamespace and relkind = 'r' and not starts_with(relname::text, 'factmill_')
     order by relname`,
  );
  const all: Record<string, Record<string, unknown>[]> = {};
  for (const { name } of tables) {
    const { rows } = await sql.query<{ line: Record<string, unknown> }>(
      `select to_jsonb(t) as line from ${name} t`,
    );
    all[name] = rows.map(({ line }) => line);
  }
  return all;
}

/** The rows with the columns that they had before, so that what is new does not count. */
function withColumnsOf(before: Rows, after: Rows): Rows {
  return Object.fromEntries(
    Object.entries(before).map(([table, rows]) => [
      table,
      (after[table] ?? []).map((row) =>
        Object.fromEntries(Object.keys(rows[0] ?? {}).map((column) => [column, row[column]])),
      ),
    ]),
  );
}

describe.each([
  ['0017', []],
  ['0021', ['from-0017-to-0021.fixture.sql']],
])('a database at migration %s', (_at, more) => {
  beforeEach(async () => {
    for (const name of more) await pool.query(await fixture(name));
  });

  test('gets the schema of a new one, and keeps all rows', async () => {
    const { api_keys: keysBefore, embedding_indexes: indexes, ...before } = await readRows(pool);
    expect(indexes).toHaveLength(2);
    for (const rows of [keysBefore, ...Object.values(before)]) expect(rows).not.toHaveLength(0);

    const { applied } = await run();
    expect(applied.at(-1)).toBe((await loadMigrationFiles(MIGRATIONS)).at(-1)?.name);
    await expect(dumpSchema(pool)).resolves.toBe(await fixture('../../schema.sql'));
    await expect(checkSchema(pool, { logger })).resolves.toMatchObject({ trigram: true });

    const after = await readRows(pool);
    const same = withColumnsOf(before, after);
    for (const [table, rows] of Object.entries(before)) {
      expect(same[table]).toHaveLength(rows.length);
      expect(same[table]).toEqual(expect.arrayContaining([...rows]));
    }
    expect(after['api_keys']).toHaveLength(keysBefore?.length ?? 0);
    await expect(run()).resolves.toMatchObject({ applied: [], functions: [] });
  });

  test('20 starters at once take it over once', async () => {
    const results = await Promise.all(Array.from({ length: 20 }, run));
    const applied = results.flatMap((result) => result.applied);
    expect(new Set(applied).size).toBe(applied.length);
    await expect(dumpSchema(pool)).resolves.toBe(await fixture('../../schema.sql'));
  });

  test('its keys keep what their applications use, and become no operators', async () => {
    await run();
    const keys = [
      ...(await listApiKeys(pool, DEFAULT_TENANT_ID)),
      ...(await listApiKeys(pool, SECOND_TENANT)),
    ];
    expect(Object.fromEntries(keys.map(({ name, permissions }) => [name, permissions]))).toEqual({
      app: ['memory.read', 'memory.write', 'chat', 'upstream'],
      reader: ['memory.read_all', 'chat', 'upstream'],
      admin: ['admin'],
      queues: ['queue.read', 'queue.write'],
    });
    expect(keys.map(({ userLocked }) => userLocked)).toEqual([false, false, false, false]);
  });
});

test.each([
  [`update factmill_migrations set checksum = 'other' where number = 5`, 'Factmill never had'],
  ['delete from factmill_migrations where number = 17', 'lacks 0017_kept_words.sql'],
  [
    `insert into factmill_migrations (number, name, checksum) values (18, '0018_own.sql', '')`,
    '0018_own.sql',
  ],
])('after %s it is refused and left as it is', async (statement, reason) => {
  await pool.query(statement);
  const before = await dumpSchema(pool);
  await expect(run()).rejects.toMatchObject({
    code: 'schema_outdated',
    message: expect.stringContaining(reason),
  });
  await expect(dumpSchema(pool)).resolves.toBe(before);
});

test('the database keeps no lock of a key that does not hold, whatever asks', async () => {
  await run();
  const key = {
    tenantId: DEFAULT_TENANT_ID,
    secretSha256: Buffer.alloc(32),
    expiresAt: null,
    userLocked: true,
  };
  for (const [userId, permission] of [
    [null, 'memory.read'],
    ['ada', 'admin'],
    ['ada', 'operator'],
    ['ada', 'memory.read_all'],
  ] as const) {
    const locked = { ...key, id: 'locked', name: 'locked', userId, permissions: [permission] };
    await expect(insertApiKey(pool, locked)).rejects.toThrow(/database/i);
  }
});

test('embedded storage is taken over too', async () => {
  const dataDir = await mkdtemp(join(tmpdir(), 'factmill-takeover-'));
  const embedded = await startEmbedded({ dataDir, logger });
  const { connectionString } = embedded;
  const own = createPool({ connectionString, max: 1, applicationName: 'factmill-test', logger });
  try {
    await own.query(await fixture('database-at-0017.fixture.sql'));
    await migrate(connectionString, { logger });
    await expect(dumpSchema(own)).resolves.toBe(await fixture('../../schema.sql'));
    await expect(own.one('select count(*) as n from memories')).resolves.toEqual({ n: 4 });
  } finally {
    await own.close();
    await embedded.close();
    await rm(dataDir, { recursive: true, force: true });
  }
}, 120_000);
