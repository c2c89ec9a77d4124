import {
  createPool,
  type DatabasePool,
  DEFAULT_TENANT_ID,
  migrate,
  registerEmbeddingModel,
} from '@factmill/database';
import { createTestDatabase, type TestDatabase } from '@factmill/testkit';
import { afterEach, beforeEach, expect, jest, test } from '@jest/globals';
import { createDistanceIndexes } from './distance-indexes.ts';

jest.setTimeout(60_000);

const LARGE = 100;
const quiet = { info: () => undefined, warn: () => undefined };

let database: TestDatabase;
let pool: DatabasePool;
let warnings: unknown[];

beforeEach(async () => {
  database = await createTestDatabase({ migrate: (url) => migrate(url, { logger: quiet }) });
  pool = createPool({
    connectionString: database.connectionString,
    max: 3,
    applicationName: 'factmill-test',
    logger: quiet,
  });
  warnings = [];
  await registerEmbeddingModel(pool, 'tiny', 8);
});
afterEach(async () => {
  await pool.close();
  await database.drop();
});

async function remember(userId: string, count: number): Promise<void> {
  await pool.query(
    `with stored as (
       insert into memories (id, tenant_id, user_id, kind, content, source, content_hash, stated_at, valid_from)
       select gen_random_uuid(), $1::uuid, $2::text, 'note', 'note ' || n, 'test', sha256(gen_random_uuid()::text::bytea),
         now(), now() from generate_series(1, $3::integer) as n
       returning id, content_hash)
     insert into memory_embeddings (memory_id, model, tenant_id, user_id, content_hash, embedding)
     select id, 'tiny', $1::uuid, $2::text, content_hash,
       (select array_agg(random() - 0.5) from generate_series(1, 8) where stored.id is not null)::real[]::halfvec
     from stored`,
    [DEFAULT_TENANT_ID, userId, count],
  );
}

/** One look of one process, to its end. */
async function look(): Promise<void> {
  const indexes = createDistanceIndexes({
    database: pool,
    connectionString: database.connectionString,
    logger: { ...quiet, warn: (fields: unknown) => warnings.push(fields) } as never,
    largeUser: LARGE,
  });
  await indexes.look();
  await indexes.close();
}

async function indexed(): Promise<{ userId: string; ready: boolean; valid: boolean }[]> {
  const { rows } = await pool.query<{ userId: string; ready: boolean; valid: boolean }>(
    `select i.user_id as "userId", i.ready_at is not null as ready,
       exists (select from pg_index x where x.indexrelid = to_regclass(i.name) and x.indisvalid) as valid
     from embedding_indexes i order by i.user_id`,
  );
  return rows;
}

const indexCount = async () =>
  (await pool.query(`select from pg_indexes where indexname like 'memory_embeddings_of_%'`)).rowCount;

test('large users get an index, also one with quotes in the name; small ones do not; a second look changes nothing', async () => {
  await remember(`o'brien "the" \\ %s`, LARGE + 1);
  await remember('maya', LARGE + 20);
  await remember('small', LARGE);
  await look();
  expect(warnings).toEqual([]);
  expect(await indexed()).toEqual([
    { userId: 'maya', ready: true, valid: true },
    { userId: `o'brien "the" \\ %s`, ready: true, valid: true },
  ]);
  await look();
  expect(await indexCount()).toBe(2);
});

test('two processes at once build one index', async () => {
  await remember('maya', LARGE + 1);
  await Promise.all([look(), look()]);
  expect(warnings).toEqual([]);
  expect(await indexed()).toEqual([{ userId: 'maya', ready: true, valid: true }]);
});

test('a build that was interrupted is done anew when its lease has run out', async () => {
  await remember('maya', LARGE + 1);
  await look();
  // What a killed process leaves behind: a claim, and an index that is not valid.
  await pool.query(`update embedding_indexes set ready_at = null, leased_until = now() + interval '1 hour'`);
  await look();
  expect(await indexed()).toEqual([{ userId: 'maya', ready: false, valid: true }]);
  await pool.query(`update embedding_indexes set leased_until = now() - interval '1 second'`);
  await look();
  expect(await indexed()).toEqual([{ userId: 'maya', ready: true, valid: true }]);
});

test('an index is dropped when its user is not large any more, its model retired, or nobody knows of it', async () => {
  await remember('maya', LARGE + 1);
  await look();
  const removeTo = (left: number) =>
    pool.query('delete from memories where id in (select id from memories order by id offset $1::integer)', [
      left,
    ]);
  await removeTo(LARGE / 2 + 1);
  await look();
  expect(await indexed()).toHaveLength(1);
  await removeTo(LARGE / 2);
  await look();
  expect(await indexCount()).toBe(0);

  await remember('maya', LARGE + 1);
  await look();
  await pool.query(`update embedding_models set state = 'retired'`);
  await look();
  expect([await indexed(), await indexCount()]).toEqual([[], 0]);

  await pool.query(`update embedding_models set state = 'active'`);
  await look();
  expect(await indexCount()).toBe(1);
  await pool.query('delete from embedding_indexes');
  await pool.query('delete from memories');
  await look();
  expect(await indexCount()).toBe(0);
});
