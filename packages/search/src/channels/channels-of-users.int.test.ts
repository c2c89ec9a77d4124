import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import type { SearchFilters } from '@factmill/contracts';
import { createTestDatabase, type TestDatabase } from '@factmill/testkit';
import {
  createPool,
  type DatabasePool,
  DEFAULT_TENANT_ID,
  migrate,
  type Sql,
  toVectorText,
} from '@factmill/database';
import {
  DIMENSIONS,
  direction,
  explainAll,
  fillMemories,
  fillVectors,
  indexesReadBy,
  SIGNED_DIMENSIONS,
  type StoredMemory,
  storeMemory,
} from '../search.fixture.ts';
import { searchByFullText } from './by-full-text.ts';
import { searchBySubstring, type SubstringSearch } from './by-substring.ts';
import { searchByVector } from './by-vector.ts';
import type { VectorSearch } from './nearest.ts';

const OTHER_TENANT = '00000000-0000-7000-8000-000000000002';
const quiet = { info: () => undefined, warn: () => undefined };

const store = (memory: StoredMemory) => storeMemory(pool, memory);
const plansOf = (run: (explained: DatabasePool) => Promise<unknown>) => explainAll(pool, run);

let database: TestDatabase;
let pool: DatabasePool;

beforeAll(async () => {
  database = await createTestDatabase({ migrate: (url, how) => migrate(url, { logger: quiet, ...how }) });
  pool = createPool({
    connectionString: database.connectionString,
    max: 2,
    applicationName: 'factmill-test',
    logger: quiet,
  });
  await pool.query('insert into tenants (id, name) values ($1::uuid, $2::text)', [OTHER_TENANT, 'other']);
  await fillMemories(pool);
  await fillVectors(pool);
  await pool.query('analyze memories');
  await pool.query('vacuum analyze memory_embeddings');
});

afterAll(async () => {
  await pool.close();
  await database.drop();
});

function vectorSearch(search: Partial<VectorSearch>): VectorSearch {
  return {
    tenantId: DEFAULT_TENANT_ID,
    userId: 'ann',
    model: 'tiny',
    dimensions: DIMENSIONS,
    vector: direction(0),
    minSimilarity: -1,
    filters: {},
    limit: 15,
    ...search,
  };
}

function textSearch(search: Partial<SubstringSearch>): SubstringSearch {
  return {
    tenantId: DEFAULT_TENANT_ID,
    userId: 'ann',
    phrase: 'zebra',
    terms: [],
    filters: {},
    limit: 15,
    ...search,
  };
}

const idsByVector = async (search: Partial<VectorSearch>) =>
  (await searchByVector(pool, vectorSearch(search))).map((row) => row.id);
const contentsByText = async (search: Partial<SubstringSearch>, sql: Sql = pool) =>
  (await searchBySubstring(sql, textSearch(search))).map((row) => row.content);

/** The right answer, without any index or limit on what is compared. */
async function nearest(
  userId: string,
  vector: readonly number[],
  limit: number,
  model = 'tiny',
): Promise<string[]> {
  const { rows } = await pool.query<{ id: string }>(
    `select e.memory_id as id from memory_embeddings e where e.user_id = $1 and e.model = $4
     order by (e.embedding <=> $2::halfvec) + 0, e.memory_id limit $3`,
    [userId, toVectorText(vector), limit, model],
  );
  return rows.map((row) => row.id);
}

describe('searchByVector', () => {
  test('a user among many gets exactly the nearest, in order', async () => {
    for (const angle of [0.3, 1.2, 2.5]) {
      for (const userId of ['large', 'medium', 'user77']) {
        await expect(idsByVector({ userId, vector: direction(angle) })).resolves.toEqual(
          await nearest(userId, direction(angle), 15),
        );
      }
    }
  });

  test('of thousands told apart by their bit codes all of the nearest are found, in order, however they lie', async () => {
    const signed = { userId: 'medium', model: 'signed', dimensions: SIGNED_DIMENSIONS };
    // Random vectors, nearly equally far from each other, and some that are near to what is asked.
    for (let turn = 0; turn < 20; turn += 1) {
      const vector = Array.from({ length: SIGNED_DIMENSIONS }, (_, at) => Math.sin(turn * 131 + at * 7.3));
      const rows = await searchByVector(pool, vectorSearch({ ...signed, vector, limit: 10 }));
      expect(rows.map((row) => row.similarity)).toEqual(
        rows.map((row) => row.similarity).toSorted((a, b) => b - a),
      );
      expect(rows.map((row) => row.id)).toEqual(await nearest('medium', vector, 10, 'signed'));
    }
  });

  test('bit codes are no reason to find fewer: filters, a cutoff, and memories that are out of date', async () => {
    const signed = { userId: 'medium', model: 'signed', dimensions: SIGNED_DIMENSIONS };
    const vector = Array.from({ length: SIGNED_DIMENSIONS }, (_, at) => Math.cos(at));
    const all = await nearest('medium', vector, 2_000, 'signed');
    const last = all.slice(-20);
    await pool.query(`update memories set category = 'far' where id = any($1::uuid[])`, [last]);
    await expect(
      idsByVector({ ...signed, vector, filters: { categories: ['far'] }, limit: 50 }),
    ).resolves.toEqual(last);
    // All of the 400 nearest by bit codes or otherwise are history: what is left is farther.
    await pool.query(`update memories set archived_at = now() where id = any($1::uuid[])`, [
      all.slice(0, 900),
    ]);
    try {
      await expect(idsByVector({ ...signed, vector, limit: 100 })).resolves.toEqual(all.slice(900, 1_000));
    } finally {
      await pool.query('update memories set archived_at = null where id = any($1::uuid[])', [all]);
    }
    const nearby = await searchByVector(pool, vectorSearch({ ...signed, vector, limit: 1 }));
    await expect(
      idsByVector({ ...signed, vector, minSimilarity: (nearby[0]?.similarity ?? 0) + 0.01 }),
    ).resolves.toEqual([]);
  });

  test('a filter that leaves a large user with few memories still finds all of them', async () => {
    const ids = [
      await store({ userId: 'large', category: 'rare', vector: direction(3) }),
      await store({ userId: 'large', category: 'rare', vector: direction(2) }),
    ];
    await expect(idsByVector({ userId: 'large', filters: { categories: ['rare'] } })).resolves.toEqual(
      ids.toReversed(),
    );
    await expect(
      idsByVector({ userId: 'large', filters: { categories: ['rare'] }, minSimilarity: 0.5 }),
    ).resolves.toEqual([]);
  });

  test('a user who has nothing finds nothing', async () => {
    await expect(idsByVector({ userId: 'nobody' })).resolves.toEqual([]);
    await expect(idsByVector({ userId: 'medium', model: 'not-registered' })).resolves.toEqual([]);
  });

  test('each user is compared through the index of the users, by a plan that reads no table whole', async () => {
    const small = await plansOf((explained) => searchByVector(explained, vectorSearch({ userId: 'medium' })));
    expect(small).toHaveLength(1);
    expect(small[0]).toContain('memory_embeddings_near_idx');
    expect(small[0]).toMatch(/Index Scan using memories_pkey/);
    expect(small[0]).not.toContain('Seq Scan');

    // Twenty are near, the others equally far: bit codes tell.
    const vector = Array.from({ length: SIGNED_DIMENSIONS }, (_, at) => Math.cos(at));
    const near = await nearest('medium', direction(0), 20);
    await pool.query(
      `update memory_embeddings set embedding = $2::halfvec where memory_id = any($1::uuid[]) and model = 'signed'`,
      [near, toVectorText(vector.map((component, at) => component + 0.3 * Math.sin(at * at)))],
    );
    const signed = await plansOf((explained) =>
      searchByVector(
        explained,
        vectorSearch({ userId: 'medium', model: 'signed', dimensions: SIGNED_DIMENSIONS, vector, limit: 10 }),
      ),
    );
    expect(signed).toHaveLength(1);
    expect(signed[0]).toMatch(/Index Only Scan using memory_embeddings_near_idx/);
  });

  test('similarity is the cosine, and what lies below the cutoff is left out', async () => {
    const near = await store({ userId: 'angles', vector: direction(0.2) });
    await store({ userId: 'angles', vector: direction(1.4) });
    const rows = await searchByVector(pool, vectorSearch({ userId: 'angles', minSimilarity: 0.9 }));
    expect(rows.map((row) => row.id)).toEqual([near]);
    expect(rows[0]?.similarity).toBeCloseTo(Math.cos(0.2), 2);
  });
});

describe('searchByFullText of a large user', () => {
  const byWords = async (terms: string[], more: Partial<VectorSearch> = {}) =>
    searchByFullText(pool, {
      tenantId: DEFAULT_TENANT_ID,
      userId: 'large',
      filters: {},
      limit: 50,
      ...more,
      terms,
      query: '',
    });

  test('a word of thousands brings enough, and what has a rarer one, too, is the first', async () => {
    const { rows, unknownTerms } = await byWords(['statement', '76', 'xylophone']);
    expect(rows[0]?.content).toBe('statement 76');
    expect([rows.length, new Set(rows.map((row) => row.id)).size, unknownTerms]).toEqual([
      50,
      50,
      ['xylophone'],
    ]);
    expect((await byWords(['statement'], { limit: 400 })).rows).toHaveLength(400);
  });

  test('all with two words are found, however many have one of them; and all with a rare one', async () => {
    const both = [];
    for (const n of [1, 2, 3]) {
      both.push(await store({ userId: 'large', content: `statement about a quokka, number ${n}` }));
    }
    await pool.query(
      `update memories set content = 'general ' || content where user_id = 'large' and id = any(
         select id from memories where user_id = 'large' and content like 'statement %6' limit 300)`,
    );
    const found = (await byWords(['statement', 'quokka'])).rows.slice(0, 3).map((row) => row.id);
    expect(found.toSorted()).toEqual(both.toSorted());
    const common = await byWords(['statement', 'general'], { limit: 300 });
    expect(common.rows).toHaveLength(300);
  });

  test('a filter that leaves few finds all of them', async () => {
    const ids = [
      await store({ userId: 'large', category: 'words', content: 'one statement' }),
      await store({ userId: 'large', category: 'words', content: 'another statement' }),
    ];
    const { rows } = await byWords(['statement'], { filters: { categories: ['words'] } });
    expect(rows.map((row) => row.id).toSorted()).toEqual(ids.toSorted());
  });
});

describe('searchBySubstring', () => {
  beforeAll(async () => {
    await store({ userId: 'tess', content: 'Has a grey cat called Mina' });
    await store({ userId: 'tess', content: 'Likes jazz and cats', importance: 0.9 });
    await store({
      userId: 'tess',
      content: 'Home town: Zürich',
      key: 'home_town',
      value: 'Zürich',
      category: 'identity',
    });
    await store({ userId: 'tess', content: 'Won 100% in the test' });
    await store({ userId: 'tess', content: 'Paid 1000 francs' });
    await store({ userId: 'tess', content: 'File a_b is the draft' });
    await store({ userId: 'tess', content: 'File aXb is final' });
    await store({ userId: 'tess', content: String.raw`Path C:\temp holds it` });
    await store({ userId: 'tess', content: 'Plays Go' });
    await store({ userId: 'tess', content: '東京に住んでいる' });
  });

  const tess = (phrase: string, terms: string[] = []) => contentsByText({ userId: 'tess', phrase, terms });

  test('content, key, value and category are searched, whatever the case', async () => {
    const home = ['Home town: Zürich'];
    await expect(tess('GREY CAT')).resolves.toEqual(['Has a grey cat called Mina']);
    await expect(tess('home_TOWN')).resolves.toEqual(home);
    await expect(tess('zürich')).resolves.toEqual(home);
    await expect(tess('IDENTITY')).resolves.toEqual(home);
    await expect(tess('cat')).resolves.toHaveLength(2);
  });

  test('a pattern never spans two columns', async () => {
    await expect(tess('Zürichhome_town')).resolves.toEqual([]);
  });

  test.each([
    ['100%', ['Won 100% in the test']],
    ['a_b', ['File a_b is the draft']],
    [String.raw`C:\temp`, [String.raw`Path C:\temp holds it`]],
    ['\\', [String.raw`Path C:\temp holds it`]],
    ['%', ['Won 100% in the test']],
    [`'; drop table memories; --`, []],
    [`$1 {x} "y" \\'`, []],
  ])('%s means itself', async (phrase, contents) => {
    await expect(tess(phrase)).resolves.toEqual(contents);
  });

  test('terms of one or two characters are found', async () => {
    await expect(tess('does she play go', ['go'])).resolves.toEqual(['Plays Go']);
    await expect(tess('住在东京', ['住'])).resolves.toEqual(['東京に住んでいる']);
    await expect(tess('x', [])).resolves.toEqual(['File aXb is final']);
  });

  test('the phrase comes first, then more and rarer terms, then what matters more', async () => {
    await store({ userId: 'rank', content: 'blue car in the yard' });
    await store({ userId: 'rank', content: 'a car, old and blue' });
    await store({ userId: 'rank', content: 'a red car', importance: 0.1 });
    await store({ userId: 'rank', content: 'a green car', importance: 0.9 });
    await store({ userId: 'rank', content: 'blue sky' });
    await store({ userId: 'rank', content: 'a bicycle' });
    const rows = await searchBySubstring(
      pool,
      textSearch({ userId: 'rank', phrase: 'blue car', terms: ['blue', 'car'] }),
    );
    expect(rows.map((row) => row.content)).toEqual([
      'blue car in the yard',
      'a car, old and blue',
      'blue sky',
      'a green car',
      'a red car',
    ]);
    const scores = rows.map((row) => row.textScore);
    expect(scores[0]).toBe(1);
    expect(scores[1]).toBe(0.9);
    expect(scores.every((score) => score > 0)).toBe(true);
  });

  test('as many terms as a query can have', async () => {
    const terms = Array.from({ length: 12 }, (_, index) => `term${index}`);
    await expect(tess('nothing of this', [...terms.slice(1), 'mina'])).resolves.toEqual([
      'Has a grey cat called Mina',
    ]);
  });

  test('of a small user all texts are read, by a statement that knows the user only', async () => {
    const plans = await plansOf((explained) =>
      searchBySubstring(explained, textSearch({ userId: 'user77', phrase: 'statement 77', terms: ['77'] })),
    );
    expect(plans).toHaveLength(1);
    expect(plans[0]).not.toMatch(/Seq Scan|trgm/);
    const rows = await searchBySubstring(
      pool,
      textSearch({ userId: 'user77', phrase: 'nothing', terms: ['none'] }),
    );
    expect(rows).toEqual([]);
  });

  test('a large user is searched through the trigram indexes, completely', async () => {
    await store({ userId: 'large', content: 'the only one with a Xylophone' });
    const rare = textSearch({ userId: 'large', phrase: 'has a xylophone', terms: ['xylophone'] });
    const plans = await plansOf((explained) => searchBySubstring(explained, rare));
    expect(plans).toHaveLength(2);
    expect(await indexesReadBy(pool, (sql) => searchBySubstring(sql, rare))).toContain(
      'memories_search_text_trgm',
    );
    const { n } = await pool.one<{ n: number }>(
      `select count(*) as n from memories where user_id = 'large' and content ilike '%statement 77%'`,
    );
    const rows = await searchBySubstring(pool, { ...rare, terms: ['xylophone', 'statement 77'], limit: 200 });
    expect(rows[0]?.content).toBe('the only one with a Xylophone');
    expect(rows).toHaveLength(Math.min(200, n + 1));
    await expect(
      contentsByText({ userId: 'large', phrase: 'no such thing', terms: ['qq'] }),
    ).resolves.toEqual([]);
  });

  test('a small user is read through an index of theirs', async () => {
    const [plan] = await plansOf((explained) =>
      searchBySubstring(explained, textSearch({ userId: 'user77' })),
    );
    expect(plan).toMatch(/using memories_\w+ on memories/);
    expect(plan).not.toMatch(/Seq Scan on memories/);
  });

  test('without pg_trgm it finds the same', async () => {
    const options = { phrase: 'no such phrase', terms: ['statement 777', 'zz'], limit: 200 };
    for (const userId of ['large', 'user77']) {
      const expected = await contentsByText({ ...options, userId });
      let found: string[] = [];
      const undone = pool.transaction(async (tx) => {
        await tx.query('drop extension pg_trgm cascade');
        found = await contentsByText({ ...options, userId }, tx);
        throw new Error('roll the extension back');
      });
      await expect(undone).rejects.toThrow('roll the extension back');
      expect(found).toEqual(expected);
    }
    await expect(contentsByText({ ...options, userId: 'large' })).resolves.not.toEqual([]);
  });
});

describe.each([
  [
    'by vector',
    (userId: string, filters: SearchFilters) => searchByVector(pool, vectorSearch({ userId, filters })),
  ],
  [
    'by text',
    (userId: string, filters: SearchFilters) => searchBySubstring(pool, textSearch({ userId, filters })),
  ],
] as const)('%s', (channel, search) => {
  const contents = async (userId: string, filters: SearchFilters = {}) =>
    (await search(userId, filters)).map((row) => row.content).toSorted();

  test('what is superseded, archived, deleted or expired is never found', async () => {
    const userId = `states ${channel}`;
    await store({ userId, content: 'zebra current' });
    await store({ userId, content: 'zebra until later', expiresAt: '2999-01-01' });
    await store({ userId, content: 'zebra expired', expiresAt: '2021-01-01' });
    await store({ userId, content: 'zebra superseded', validTo: '2021-01-01' });
    await store({ userId, content: 'zebra archived', archivedAt: '2021-01-01' });
    await store({ userId, content: 'zebra deleted', deletedAt: '2021-01-01' });
    await expect(contents(userId)).resolves.toEqual(['zebra current', 'zebra until later']);
  });

  test('tenants and users see their own only', async () => {
    const userId = `shared ${channel}`;
    await store({ userId, content: 'zebra of ours' });
    await store({ userId, content: 'zebra of theirs', tenantId: OTHER_TENANT });
    await store({ userId: `${userId}2`, content: 'zebra of someone else' });
    await expect(contents(userId)).resolves.toEqual(['zebra of ours']);
  });

  test('filters narrow the search', async () => {
    const userId = `filters ${channel}`;
    await store({ userId, content: 'zebra 1', kind: 'qa', tier: 1, category: 'config', tags: ['a', 'b'] });
    await store({
      userId,
      content: 'zebra 2',
      kind: 'note',
      tier: 2,
      category: 'general',
      tags: ['a'],
      project: 'mill',
    });
    await store({ userId, content: 'zebra 3', kind: 'event', tier: 3, category: 'decision' });
    await expect(contents(userId, { kinds: ['qa', 'event'] })).resolves.toEqual(['zebra 1', 'zebra 3']);
    await expect(contents(userId, { categories: ['general'] })).resolves.toEqual(['zebra 2']);
    await expect(contents(userId, { tags: ['a'] })).resolves.toEqual(['zebra 1', 'zebra 2']);
    await expect(contents(userId, { tags: ['a', 'b'] })).resolves.toEqual(['zebra 1']);
    await expect(contents(userId, { tiers: [1, 3] })).resolves.toEqual(['zebra 1', 'zebra 3']);
    await expect(contents(userId, { project: 'mill' })).resolves.toEqual(['zebra 2']);
    await expect(contents(userId, { kinds: ['qa'], project: 'mill' })).resolves.toEqual([]);
  });
});
