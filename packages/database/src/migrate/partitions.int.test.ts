import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import { execFile } from 'node:child_process';
import { cp, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { createEmptyDatabase, type TestDatabase, testPgBinDir } from '@factmill/testkit';
import { createPool } from '../pool/create-pool.ts';
import type { DatabasePool } from '../pool/sql.ts';
import { checkSchema } from './check-schema.ts';
import { migrate } from './migrate.ts';
import { SCHEMA_DIRECTORY } from './schema-files.ts';

const run = promisify(execFile);
const logger = { info: () => undefined, warn: () => undefined };
let database: TestDatabase;
let pool: DatabasePool;

beforeEach(async () => {
  database = await createEmptyDatabase();
  pool = open(database);
});
afterEach(async () => {
  await pool.close();
  await database.drop();
});

function open({ connectionString }: TestDatabase): DatabasePool {
  return createPool({ connectionString, max: 1, applicationName: 'factmill-test', logger });
}

const to = (partitions?: number, directory?: string) =>
  migrate(database.connectionString, {
    logger,
    partitions,
    ...(directory === undefined ? {} : { directory }),
  });

async function namesOf(sql: DatabasePool, text: string): Promise<string[]> {
  return (await sql.query<{ name: string }>(text)).rows.map(({ name }) => name);
}

/** Tables with a tenant that are not partitions. */
const TABLES = `select c.relname::text as name from pg_class c
  join pg_attribute a on a.attrelid = c.oid and a.attname = 'tenant_id'
  where c.relnamespace = 'public'::regnamespace and not c.relispartition`;

test('a new database has partitions of every table of tenants, with the keys, indexes and policies of the table', async () => {
  await to(3);
  await expect(checkSchema(pool, { logger })).resolves.toMatchObject({ trigram: true });
  // A key and a session are looked up before the tenant is known.
  await expect(namesOf(pool, `${TABLES} and c.relkind = 'r' order by 1`)).resolves.toEqual([
    'api_keys',
    'console_sessions',
  ]);
  const partitioned = await namesOf(pool, `${TABLES} and c.relkind = 'p'`);
  expect(partitioned.length).toBeGreaterThan(30);
  const { rows } = await pool.query<{ indexes: boolean; secured: boolean; storage: string[] | null }>(
    `select (select count(*) from pg_index where indrelid = t.oid) = (select count(*) from pg_index where indrelid = c.oid)
         as indexes,
       c.relrowsecurity and exists (select from pg_policy where polrelid = c.oid and polname = 'of_tenant') as secured,
       c.reloptions as storage
     from pg_inherits i join pg_class c on c.oid = i.inhrelid join pg_class t on t.oid = i.inhparent and t.relkind = 'p'`,
  );
  expect(rows).toHaveLength(3 * partitioned.length);
  expect(rows.filter(({ indexes, secured }) => !indexes || !secured)).toEqual([]);
  await expect(
    namesOf(
      pool,
      `select indexrelid::regclass::text as name from pg_index where indrelid = 'users_p2'::regclass`,
    ),
  ).resolves.toEqual(['users_pkey_p2']);
  expect(rows.filter(({ storage }) => storage !== null)).toHaveLength(3 * 2);
});

describe('migrating again', () => {
  test('without the number leaves the partitions as they are, and gives new tables theirs', async () => {
    await to(3);
    await expect(to()).resolves.toMatchObject({ applied: [], functions: [] });
    await expect(to(3)).resolves.toMatchObject({ applied: [], functions: [] });
    const directory = await mkdtemp(join(tmpdir(), 'factmill-later-'));
    try {
      for (const folder of ['migrations', 'functions', 'triggers']) {
        await cp(join(SCHEMA_DIRECTORY, folder), join(directory, folder), { recursive: true });
      }
      const { number } = await pool.one<{ number: number }>(
        'select max(number) + 1 as number from factmill_migrations',
      );
      await writeFile(
        join(directory, 'migrations', `${String(number).padStart(4, '0')}_later.sql`),
        `create table later (
  id uuid not null,
  tenant_id uuid not null constraint later_tenant_fkey references tenants (id) on delete cascade,
  memory_id uuid not null,
  constraint later_pkey primary key (id, tenant_id),
  constraint later_memory_fkey foreign key (tenant_id, memory_id) references memories (tenant_id, id) on delete cascade
);
alter table memories add column later integer;
create index later_memory_idx on later (memory_id, tenant_id);
`,
      );
      await expect(to(undefined, directory)).resolves.toMatchObject({
        applied: [expect.stringContaining('later')],
      });
    } finally {
      await rm(directory, { recursive: true });
    }
    await expect(
      namesOf(
        pool,
        `select inhrelid::regclass::text as name from pg_inherits where inhparent = 'later'::regclass`,
      ),
    ).resolves.toEqual(['later_p0', 'later_p1', 'later_p2']);
  });

  test('with another number is refused, and says what to do', async () => {
    await to(3);
    await expect(to(4)).rejects.toMatchObject({
      code: 'config_invalid',
      message: expect.stringContaining('with 3 partitions each, and migrate does not change that'),
    });
  });

  test('with a number is refused where the tables have none, with rows or without', async () => {
    await to();
    await expect(to(4)).rejects.toMatchObject({
      code: 'config_invalid',
      message: expect.stringContaining('without partitions, and migrate does not change that'),
    });
    await expect(checkSchema(pool, { logger })).resolves.toBeDefined();
  });
});

test.each([0, 1, 2.5, 1_000])('%s partitions are refused, and nothing is created', async (count) => {
  await expect(to(count)).rejects.toMatchObject({ code: 'config_invalid' });
  await expect(namesOf(pool, TABLES)).resolves.toEqual([]);
});

test('a partition that is missing is found', async () => {
  await to(2);
  await pool.query('alter table memories detach partition memories_p1');
  await expect(checkSchema(pool, { logger })).rejects.toMatchObject({
    code: 'schema_outdated',
    message: expect.stringContaining('it lacks partition memories_p1'),
  });
});

test('a dump restores into an empty database, and later versions migrate it', async () => {
  await to(2);
  const tenants = await namesOf(
    pool,
    `insert into tenants (id, name) select gen_random_uuid(), n::text from generate_series(1, 8) as n returning name`,
  );
  await pool.query(`insert into users (tenant_id, user_id) select id, 'maya' from tenants`);
  const restored = await createEmptyDatabase();
  try {
    const file = join(await mkdtemp(join(tmpdir(), 'factmill-dump-')), 'dump');
    await run(join(testPgBinDir(), 'pg_dump'), ['-Fc', '-f', file, database.connectionString]);
    await run(join(testPgBinDir(), 'pg_restore'), ['--exit-on-error', '-d', restored.connectionString, file]);
    const copy = open(restored);
    try {
      await expect(checkSchema(copy, { logger })).resolves.toBeDefined();
      await expect(namesOf(copy, 'select user_id as name from users')).resolves.toHaveLength(
        tenants.length + 1,
      );
      await expect(migrate(restored.connectionString, { logger })).resolves.toMatchObject({ applied: [] });
    } finally {
      await copy.close();
    }
  } finally {
    await restored.drop();
  }
});
