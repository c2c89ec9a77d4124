import { afterAll, beforeAll, beforeEach, expect, test } from '@jest/globals';
import { createTestDatabase, type TestDatabase } from '@factmill/testkit';
import {
  createPool,
  type DatabasePool,
  DEFAULT_TENANT_ID,
  migrate,
  recordAccesses,
  type Sql,
} from '@factmill/database';
import { explainAll } from '../search.fixture.ts';
import { untilPassed, whileOpen } from '../transactions.fixture.ts';
import { createKeptWords, type KeptWords } from './kept-words.ts';
import { searchByWords, type WordSearch } from './search-by-words.ts';

const quiet = { info: () => undefined, warn: () => undefined };
const LIMIT = 20;

let database: TestDatabase;
let pool: DatabasePool;
let kept: KeptWords;

beforeAll(async () => {
  database = await createTestDatabase({ migrate: (url) => migrate(url, { logger: quiet }) });
  pool = createPool({
    connectionString: database.connectionString,
    max: 3,
    applicationName: 'factmill-test',
    logger: quiet,
  });
});

afterAll(async () => {
  await pool.close();
  await database.drop();
});

/** Ann has 600 memories of three or four words each, Ben 300 of the same words. */
beforeEach(async () => {
  await pool.query('truncate memories cascade');
  await write(pool, 'ann', 0, 600);
  await write(pool, 'ben', 0, 300);
  await pool.query('analyze memories');
  await untilPassed(pool);
  kept = createKeptWords({ now: () => performance.now() });
});

const COLOURS = ['red', 'green', 'blue', 'yellow', 'violet', 'ivory', 'amber'];
const THINGS = [
  'houses',
  'boat',
  'garden',
  'carpets',
  'window',
  'painting',
  'kettle',
  'lamp',
  'bridge',
  'mirror',
];
const PLACES = ['Vienna', 'Oslo', 'Well-being Street', 'Lisbon near the harbour'];
const oneOf = (list: readonly string[], n: number) => list[n % list.length] ?? '';
const contentOf = (n: number) =>
  `The ${oneOf(COLOURS, n)} ${oneOf(THINGS, Math.floor(n / 3))} number${n} in ${oneOf(PLACES, Math.floor(n / 7))}`;

async function write(sql: Sql, userId: string, from: number, count: number): Promise<void> {
  await sql.query(
    `insert into memories (id, tenant_id, user_id, tier, kind, category, content, source, content_hash, stated_at,
       valid_from)
     select gen_random_uuid(), $1::uuid, $2::text, 2, 'note', 'general', content, 'test', sha256(content::bytea), now(),
       now()
     from unnest($3::text[]) as content`,
    [DEFAULT_TENANT_ID, userId, Array.from({ length: count }, (_, index) => contentOf(from + index))],
  );
}

function search(terms: string[], more: Partial<WordSearch> = {}): WordSearch {
  return {
    tenantId: DEFAULT_TENANT_ID,
    userId: 'ann',
    filters: {},
    terms,
    query: terms.join(' '),
    limit: LIMIT,
    ...more,
  };
}

const owner = { tenantId: DEFAULT_TENANT_ID, userId: 'ann' };

/** Searches until the words are kept. */
async function keep(): Promise<void> {
  for (const _ of [1, 2]) {
    await searchByWords(pool, search(['red']), kept);
    await kept.settled();
  }
  expect(kept.of(owner)).toBeDefined();
}

const ASKED = [
  ['red'],
  ['house', 'vienna'],
  ['boat', 'amber', 'number42'],
  ['blue', 'painted', 'oslo', 'mirrors', 'unheard'],
  ['the', 'garden'],
  ['number7', 'number8', 'number599'],
  ['harbour'],
  ['unheard', 'of'],
];

/** What is found with what is kept, or could be, is what Postgres finds by its own. */
async function expectTheSame(asked = ASKED): Promise<void> {
  for (const terms of asked) {
    const given = await searchByWords(pool, search(terms), kept);
    const expected = await searchByWords(pool, search(terms));
    expect(given.rows.map((row) => [row.id, row.content])).toEqual(
      expected.rows.map((row) => [row.id, row.content]),
    );
    given.rows.forEach((row, at) => {
      expect(row.wordScore).toBeCloseTo(expected.rows[at]?.wordScore ?? 0, 10);
    });
    expect(given.unknownTerms).toEqual(expected.unknownTerms);
    expect(given.mayNameProject).toBe(expected.mayNameProject);
  }
}

const contentsOf = async (...terms: string[]) =>
  (await searchByWords(pool, search(terms), kept)).rows.map((row) => row.content);

test('words that are kept find what Postgres finds, in one statement that reads the best only', async () => {
  await keep();
  await expectTheSame();
  const plans = await explainAll(pool, (explained) =>
    searchByWords(explained, search(['red', 'house']), kept),
  );
  expect(plans).toHaveLength(1);
  expect(plans[0]).toContain('memories_pkey');
  expect(plans[0]).toContain('memories_written_idx');
  expect(plans[0]).not.toMatch(/Seq Scan|memories_words_idx/);
});

test('few hits are read by a smaller statement and weighed here, as Postgres weighs them', async () => {
  await pool.query(`update memories set project = 'Apollo' where content = $1::text`, [contentOf(7)]);
  const few = [
    ['number7', 'number8', 'number599'],
    ['number14', 'well-being'],
    ['the', 'number9'],
    ['number12', 'unheard'],
    ['unheard', 'of'],
    ['apollo'],
  ];
  await expectTheSame([...few, ...ASKED]);
  const plansOf = (terms: string[]) =>
    explainAll(pool, (explained) =>
      searchByWords(explained, search(terms), createKeptWords({ now: () => performance.now() })),
    );
  await expect(plansOf(['number7', 'number8'])).resolves.toHaveLength(1);
  await expect(plansOf(['red'])).resolves.toHaveLength(2);
});

test('a term of several words, filters, other times and all users are asked of Postgres', async () => {
  await keep();
  const plansOf = (given: WordSearch) =>
    explainAll(pool, (explained) => searchByWords(explained, given, kept));
  for (const given of [
    search(['well-being']),
    search(['red'], { filters: { categories: ['general'] } }),
    search(['red'], { scope: 'global' }),
    search(['red'], { userId: null }),
  ]) {
    const plans = await plansOf(given);
    expect(plans.at(-1)).not.toContain('memories_written_idx');
  }
  expect((await searchByWords(pool, search(['well-being']), kept)).rows).toHaveLength(LIMIT);
  const asOf = { validAt: new Date(), knownAt: new Date() };
  expect((await searchByWords(pool, search(['red'], { asOf }), kept)).rows).toEqual([]);
});

test('what is written since is found at once, and its words are known', async () => {
  await keep();
  await write(pool, 'ben', 1_000, 30);
  await pool.query(
    `update memories set content = 'A zeppelin' where user_id = 'ann' and content = $1::text`,
    [contentOf(5)],
  );
  await expect(contentsOf('zeppelin')).resolves.toEqual(['A zeppelin']);
  await expect(contentsOf('number5', 'zeppelin')).resolves.toEqual(['A zeppelin']);
  expect((await searchByWords(pool, search(['zeppelin', 'unheard']), kept)).unknownTerms).toEqual([
    'unheard',
  ]);
  await write(pool, 'ann', 1_000, 1);
  await expect(contentsOf('number1000')).resolves.toEqual([contentOf(1_000)]);
  expect(kept.of(owner)).toBeDefined();
});

test('what is archived, deleted or expired is not found, and found again when it is back', async () => {
  const [archived, deleted, expired, superseded] = [11, 12, 13, 14].map(contentOf);
  const set = async (change: string, content: string | undefined) =>
    pool.query(`update memories set ${change} where user_id = 'ann' and content = $1::text`, [content]);
  const found = () => contentsOf('number11', 'number12', 'number13', 'number14');
  await keep();
  await set('archived_at = now()', archived);
  await set('deleted_at = now()', deleted);
  await set(`expires_at = now() - interval '1 second'`, expired);
  await set('valid_to = now()', superseded);
  await expect(found()).resolves.toEqual([]);
  // Read while they are gone, and brought back.
  kept.forget(owner);
  await keep();
  await expect(found()).resolves.toEqual([]);
  await set('archived_at = null', archived);
  await set('deleted_at = null', deleted);
  await set('expires_at = null', expired);
  await set('valid_to = null', superseded);
  expect((await found()).toSorted()).toEqual([archived, deleted, expired, superseded].toSorted());
  expect(kept.of(owner)).toBeDefined();
});

test('when more of the best is gone than was read beside them, Postgres is asked and the words are read again', async () => {
  await keep();
  await pool.query(
    `update memories set archived_at = now() where user_id = 'ann' and content like '% red %' and content !~ '[05] in'`,
  );
  await expectTheSame();
  await kept.settled();
  expect(kept.of(owner)?.table.size).toBeLessThan(600);
});

test('counted accesses move a memory without it counting as written', async () => {
  await keep();
  const { rows } = await searchByWords(pool, search(['red']), kept);
  await recordAccesses(
    pool,
    rows.map(({ id }) => ({ memoryId: id, count: 1, lastAt: new Date() })),
  );
  await pool.query('vacuum full memories');
  await expectTheSame();
  const { rows: written } = await pool.query('select from memories where written >= $1::xid8', [
    kept.of(owner)?.since,
  ]);
  expect(written).toEqual([]);
});

test('what was restored from a server that had counted further is old', async () => {
  await pool.query(`update memories set written = '9000000000000'::xid8 where user_id = 'ann'`);
  await keep();
  await expectTheSame();
  expect(kept.of(owner)).toBeDefined();
});

test('a transaction that was open when the words were read is seen when it ends', async () => {
  await whileOpen(
    pool,
    (tx) => write(tx, 'ann', 2_000, 3),
    async () => {
      await write(pool, 'ann', 2_003, 3);
      await keep();
      await expect(contentsOf('number2001', 'number2004')).resolves.toEqual([contentOf(2_004)]);
    },
  );
  const found = await contentsOf('number2001', 'number2004');
  expect(found.toSorted()).toEqual([contentOf(2_001), contentOf(2_004)]);
  expect(kept.of(owner)).toBeDefined();
});

test('when much was written since, the words are read again', async () => {
  await keep();
  await write(pool, 'ann', 2_000, 201);
  await untilPassed(pool);
  await expect(contentsOf('number2100')).resolves.toEqual([contentOf(2_100)]);
  await keep();
  expect(kept.of(owner)?.table.size).toBe(801);
  await expectTheSame();
});

test('while a transaction has much count as written since, and of those who have few, words are not kept', async () => {
  await whileOpen(
    pool,
    (tx) => write(tx, 'ben', 2_000, 1),
    async () => {
      await write(pool, 'ann', 2_000, 201);
      for (const _ of [1, 2, 3]) {
        await searchByWords(pool, search(['red']), kept);
        await searchByWords(pool, search(['number3'], { userId: 'ben' }), kept);
        await kept.settled();
      }
      expect(kept.of(owner)).toBeUndefined();
      expect(kept.of({ ...owner, userId: 'ben' })).toBeUndefined();
    },
  );
});

test('nobody finds what is of others', async () => {
  await keep();
  const { rows } = await searchByWords(pool, search(['number1'], { userId: 'ben', limit: 1 }), kept);
  expect(rows).toHaveLength(1);
  await kept.settled();
  await pool.query(`delete from memories where user_id = 'ann'`);
  await write(pool, 'ben', 3_000, 10);
  await expect(contentsOf('red', 'number3001')).resolves.toEqual([]);
});

test('a project that the query names is said, of memories written since as well', async () => {
  await pool.query(`update memories set project = 'Hermes' where user_id = 'ann' and content = $1::text`, [
    contentOf(1),
  ]);
  await keep();
  const other = search(['red'], { query: 'what is red in hermes?' });
  expect((await searchByWords(pool, other, kept)).mayNameProject).toBe(true);
  const asked = search(['red'], { query: 'what is red in Apollo?' });
  expect((await searchByWords(pool, asked, kept)).mayNameProject).toBe(false);
  await pool.query(`update memories set project = 'apollo' where user_id = 'ann' and content = $1::text`, [
    contentOf(0),
  ]);
  expect((await searchByWords(pool, asked, kept)).mayNameProject).toBe(true);
});
