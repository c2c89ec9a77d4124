import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import { readFile } from 'node:fs/promises';
import { createTestDatabase, type TestDatabase } from '@factmill/testkit';
import { createPool } from '../pool/create-pool.ts';
import type { DatabasePool } from '../pool/sql.ts';
import { checkSchema } from './check-schema.ts';
import { migrate } from './migrate.ts';
import { objectsOf } from './schema-objects.ts';

const logger = { info: () => undefined, warn: () => undefined };
let database: TestDatabase;
let pool: DatabasePool;

beforeEach(async () => {
  database = await createTestDatabase({ migrate: (url, how) => migrate(url, { logger, ...how }) });
  pool = createPool({
    connectionString: database.connectionString,
    max: 1,
    applicationName: 'factmill-test',
    logger,
  });
});
afterEach(async () => {
  await pool.close();
  await database.drop();
});

const check = () => checkSchema(pool, { logger });

test('the names of all objects are read from the schema', async () => {
  const objects = objectsOf(await readFile(new URL('../../schema.sql', import.meta.url), 'utf8'));
  for (const object of [
    'column memories.search_terms',
    'constraint memories.memories_pkey',
    'index memories_words_idx',
    'index memories_key_key',
    'function search_words(given text)',
    'trigger memories_written',
  ]) {
    expect(objects).toContain(object);
  }
  const { n } = await pool.one<{ n: number }>(
    `select count(*)::integer as n from pg_attribute a join pg_class c on c.oid = a.attrelid
     where c.relnamespace = 'public'::regnamespace and c.relkind = 'r' and a.attnum > 0`,
  );
  expect([...objects].filter((object) => object.startsWith('column '))).toHaveLength(n);
});

describe('a schema', () => {
  test('that is whole passes, whatever else is there, and nothing is changed', async () => {
    await pool.query('create table own_notes (id integer)');
    await pool.query('create index own_idx on memories (content)');
    await pool.query('set default_transaction_read_only = on');
    await expect(check()).resolves.toMatchObject({ trigram: true });
  });

  test.each([
    ['alter table memories drop column search_text', 'column memories.search_text'],
    ['drop index memories_key_key', 'index memories_key_key'],
    ['alter table messages drop constraint messages_id_key', 'constraint messages.messages_id_key'],
    ['alter function search_keys(uuid, text, tsvector) rename to keys', 'function search_keys('],
    ['drop trigger memories_written on memories', 'out of date: memories_written. Run the migrate command'],
    [
      `update pg_index set indisvalid = false where indexrelid = 'memories_user_idx'::regclass`,
      'index memories_user_idx',
    ],
    [
      `update factmill_functions set checksum = 'other' where name = 'function drop_oldest'`,
      'out of date: drop_oldest. Run the migrate command',
    ],
    ['drop function trigger_of(jsonb, text, jsonb)', 'out of date: trigger_of. Run the migrate command'],
    ['drop table factmill_functions', 'out of date: accept_conversation, '],
    ['delete from factmill_migrations where number = 26', 'lacks 0026_baseline.sql. Run the migrate command'],
    [
      'delete from factmill_migrations where number = 27',
      'lacks 0027_search.trigram.sql. Run the migrate command',
    ],
    [`update factmill_migrations set checksum = 'other' where number = 26`, 'with another content'],
    [
      `insert into factmill_migrations (number, name, checksum) values (9999, '9999_next.sql', '')`,
      'newer than this program',
    ],
    [
      `update pg_extension set extversion = '0.6.0' where extname = 'vector'`,
      'alter extension vector update',
    ],
  ])('after %s does not', async (statement, reason) => {
    await pool.query(statement);
    await expect(check()).rejects.toThrow(reason);
  });

  test('without pg_trgm does not need its index', async () => {
    await pool.query('drop extension pg_trgm cascade');
    await pool.query('delete from factmill_migrations where number = 27');
    await expect(check()).resolves.toMatchObject({ trigram: false });
  });
});
