import { afterAll, beforeAll, beforeEach, expect, test } from '@jest/globals';
import { createTestDatabase, type TestDatabase } from '@factmill/testkit';
import {
  createPool,
  type DatabasePool,
  DEFAULT_TENANT_ID,
  migrate,
  registerEmbeddingModel,
  type Sql,
  toVectorText,
} from '@factmill/database';
import { explainAll } from '../search.fixture.ts';
import { untilPassed, whileOpen } from '../transactions.fixture.ts';
import { createKeptSigns, type KeptSigns } from './kept-signs.ts';
import { searchByVector, type VectorSearch } from './search-by-vector.ts';

const DIMENSIONS = 128;
const quiet = { info: () => undefined, warn: () => undefined };

let database: TestDatabase;
let pool: DatabasePool;
let kept: KeptSigns;

beforeAll(async () => {
  database = await createTestDatabase({ migrate: (url) => migrate(url, { logger: quiet }) });
  pool = createPool({
    connectionString: database.connectionString,
    max: 3,
    applicationName: 'factmill-test',
    logger: quiet,
  });
  await registerEmbeddingModel(pool, 'signed', DIMENSIONS);
});

afterAll(async () => {
  await pool.close();
  await database.drop();
});

/** Ann has 1,200 memories around twenty directions, Ben 400; what both have is spread over the table. */
beforeEach(async () => {
  await pool.query('truncate memories cascade');
  await write(pool, 'ann', 0, 800);
  await write(pool, 'ben', 0, 400);
  await write(pool, 'ann', 800, 400);
  await pool.query('analyze memory_embeddings');
  await untilPassed(pool);
  kept = createKeptSigns({ now: () => performance.now() });
});

/** Looks random, is the same each time; -1 to 1. */
function noise(n: number, at: number): number {
  const wave = Math.sin(n * 127.1 + at * 311.7) * 43_758.545_3;
  return 2 * (wave - Math.floor(wave)) - 1;
}

/** Vector number `n` is near those whose number has the same remainder by 20. */
const vectorOf = (n: number, own = 0.6) =>
  Array.from({ length: DIMENSIONS }, (_, at) => noise(n % 20, at) + own * noise(n + 100, at));

async function write(sql: Sql, userId: string, from: number, count: number): Promise<string[]> {
  const numbers = Array.from({ length: count }, (_, index) => from + index);
  const { rows } = await sql.query<{ id: string }>(
    `with given as (
       select * from unnest($2::integer[], $3::text[]) as g (n, vector)
     ), stored as (
       insert into memories (id, tenant_id, user_id, tier, kind, category, content, source, content_hash, stated_at,
         valid_from)
       select gen_random_uuid(), $4::uuid, $1::text, 2, 'note', 'general', 'memory ' || n, 'test',
         sha256(n::text::bytea), now(), now() from given
       returning id, tenant_id, user_id, content, content_hash
     )
     insert into memory_embeddings (memory_id, model, tenant_id, user_id, content_hash, embedding)
     select id, 'signed', tenant_id, user_id, content_hash, vector::halfvec
     from stored join given on content = 'memory ' || n
     returning memory_id as id`,
    [userId, numbers, numbers.map((n) => toVectorText(vectorOf(n))), DEFAULT_TENANT_ID],
  );
  return rows.map((row) => row.id);
}

function search(vector: readonly number[], more: Partial<VectorSearch> = {}): VectorSearch {
  return {
    tenantId: DEFAULT_TENANT_ID,
    userId: 'ann',
    model: 'signed',
    dimensions: DIMENSIONS,
    vector,
    minSimilarity: -1,
    filters: {},
    limit: 10,
    ...more,
  };
}

const owner = { tenantId: DEFAULT_TENANT_ID, userId: 'ann', model: 'signed', dimensions: DIMENSIONS };

/** Searches until the signs are kept. */
async function keep(): Promise<void> {
  for (const turn of [1, 2]) {
    await searchByVector(pool, search(vectorOf(turn)), kept);
    await kept.settled();
  }
  expect(kept.of(owner)).toBeDefined();
}

async function nearest(vector: readonly number[], limit = 10): Promise<string[]> {
  const { rows } = await pool.query<{ id: string }>(
    `select m.id from memories m join memory_embeddings e on e.memory_id = m.id
     where m.user_id = 'ann' and m.is_current
     order by (e.embedding <=> $1::halfvec) + 0, m.id limit $2::integer`,
    [toVectorText(vector), limit],
  );
  return rows.map((row) => row.id);
}

async function expectTheNearest(): Promise<void> {
  for (let n = 0; n < 20; n += 1) {
    const rows = await searchByVector(pool, search(vectorOf(n, 0.1)), kept);
    expect(rows.map((row) => row.id)).toEqual(await nearest(vectorOf(n, 0.1)));
  }
}

test('the nearest of many are found by the signs that are kept, in one statement that reads them at their places', async () => {
  await keep();
  await expectTheNearest();
  const plans = await explainAll(pool, (explained) =>
    searchByVector(explained, search(vectorOf(3, 0.1)), kept),
  );
  expect(plans).toHaveLength(1);
  expect(plans[0]).toContain('Tid Scan on memory_embeddings');
  expect(plans[0]).not.toContain('Seq Scan');
});

test('where signs tell too little, all are compared', async () => {
  await pool.query(`update memory_embeddings set embedding = $1::halfvec where user_id = 'ann'`, [
    toVectorText(vectorOf(0)),
  ]);
  await keep();
  const plans = await explainAll(pool, async (explained) => {
    const rows = await searchByVector(explained, search(vectorOf(1)), kept);
    expect(rows.map((row) => row.id)).toEqual(await nearest(vectorOf(1)));
  });
  expect(plans).toHaveLength(2);
});

test('what is written, replaced, archived and removed since is seen at once', async () => {
  await keep();
  await write(pool, 'ann', 2_000, 60);
  await expectTheNearest();
  const [first = '', second = '', third = '', fourth = ''] = await nearest(vectorOf(7, 0.1));
  await pool.query(`update memory_embeddings set embedding = $2::halfvec where memory_id = any($1::uuid[])`, [
    [first, second],
    toVectorText(vectorOf(8, 0.1)),
  ]);
  await pool.query('update memories set archived_at = now() where id = $1::uuid', [third]);
  await pool.query('delete from memories where id = $1::uuid', [fourth]);
  const found = await searchByVector(pool, search(vectorOf(8, 0.1)), kept);
  expect(found.slice(0, 2).map((row) => row.id)).toEqual([first, second].toSorted());
  await expectTheNearest();
  expect(kept.of(owner)).toBeDefined();
});

test('a transaction that was open when the signs were read is seen when it ends', async () => {
  await whileOpen(
    pool,
    (tx) => write(tx, 'ann', 2_000, 40),
    async () => {
      await write(pool, 'ann', 2_040, 40);
      await keep();
      await expectTheNearest();
    },
  );
  await expectTheNearest();
  expect(kept.of(owner)).toBeDefined();
});

test('while a transaction has much count as written since, signs are not kept', async () => {
  await whileOpen(
    pool,
    (tx) => write(tx, 'ben', 2_000, 1),
    async () => {
      await write(pool, 'ann', 2_000, 201);
      for (const turn of [1, 2, 3]) {
        await searchByVector(pool, search(vectorOf(turn)), kept);
        await kept.settled();
      }
      expect(kept.of(owner)).toBeUndefined();
      await expectTheNearest();
    },
  );
});

test('when much was written since, the signs are read again', async () => {
  await keep();
  await write(pool, 'ann', 2_000, 201);
  await untilPassed(pool);
  const rows = await searchByVector(pool, search(vectorOf(4, 0.1)), kept);
  expect(rows.map((row) => row.id)).toEqual(await nearest(vectorOf(4, 0.1)));
  await kept.settled();
  expect(kept.of(owner)?.table.size).toBe(1_401);
  await expectTheNearest();
});

test('places that others took since are not taken for what was there', async () => {
  await keep();
  await pool.query(`delete from memories where user_id = 'ann' and content < 'memory 5'`);
  await pool.query('vacuum memory_embeddings');
  await write(pool, 'ben', 3_000, 600);
  await write(pool, 'ann', 4_000, 100);
  await expectTheNearest();
  expect(kept.of(owner)).toBeDefined();
});

test('a table that was written anew has its vectors at other places', async () => {
  await keep();
  await pool.query(`delete from memories where user_id = 'ben'`);
  await pool.query('vacuum full memory_embeddings');
  await expectTheNearest();
  await kept.settled();
  expect(kept.of(owner)?.table.size).toBe(1_200);
});

test('few vectors are compared in one statement, what is not visible left out', async () => {
  await pool.query(`delete from memories where user_id = 'ann' and content not like 'memory 2%'`);
  const [first] = await nearest(vectorOf(3, 0.1));
  await pool.query('update memories set archived_at = now() where id = $1::uuid', [first]);
  await expectTheNearest();
  const plans = await explainAll(pool, async (explained) => {
    const rows = await searchByVector(explained, search(vectorOf(3, 0.1), { minSimilarity: 0.6 }), kept);
    expect(rows.length).toBeGreaterThan(0);
    expect(rows.every(({ similarity }) => similarity >= 0.6)).toBe(true);
  });
  expect(plans).toHaveLength(1);
});

test('few vectors are not kept, and neither are those of all users', async () => {
  await pool.query(`delete from memories where user_id = 'ann' and content not like 'memory 2%'`);
  const ofAll = { ...search(vectorOf(1)), userId: null };
  for (const _ of [1, 2, 3]) {
    await searchByVector(pool, search(vectorOf(1)), kept);
    await searchByVector(pool, ofAll, kept);
    await kept.settled();
  }
  expect(kept.of(owner)).toBeUndefined();
});
