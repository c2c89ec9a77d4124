import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { createTestDatabase, type TestDatabase } from '@factmill/testkit';
import {
  createPool,
  type DatabasePool,
  DEFAULT_TENANT_ID,
  deleteMemories,
  migrate,
  recordAccesses,
  registerEmbeddingModel,
  restoreMemory,
  supersedeMemories,
  updateMemory,
} from '@factmill/database';
import {
  DIMENSIONS,
  direction,
  explainAll,
  fillMemories,
  indexesReadBy,
  type StoredMemory,
  storeMemory,
} from '../search.fixture.ts';
import { loadSimilarities } from '../similarities.ts';
import type { SearchTarget } from '../target.ts';
import { searchByFullText } from './by-full-text.ts';
import { searchByProject } from './by-project.ts';
import { searchByVector } from './by-vector.ts';
import { searchRecent } from './recent.ts';
import { findUnindexedTurns } from './unindexed-turns.ts';

const quiet = { info: () => undefined, warn: () => undefined };

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
  await registerEmbeddingModel(pool, 'tiny', DIMENSIONS);
  await fillMemories(pool);
  await pool.query('analyze memories');
});

afterAll(async () => {
  await pool.close();
  await database.drop();
});

const store = (memory: StoredMemory) => storeMemory(pool, memory);
const targetOf = (userId: string | null, more: Partial<SearchTarget> = {}): SearchTarget => ({
  tenantId: DEFAULT_TENANT_ID,
  userId,
  filters: {},
  ...more,
});
const byWords = async (userId: string, terms: string[], more: Partial<SearchTarget> = {}) =>
  (await searchByFullText(pool, { ...targetOf(userId, more), terms, query: '', limit: 50 })).rows.map(
    (row) => row.content,
  );

describe('searchByFullText', () => {
  test('other forms of a word are found, parts of words are not', async () => {
    await store({ userId: 'forms', content: 'She painted the fences' });
    await store({ userId: 'forms', content: 'The repainting is done' });
    await expect(byWords('forms', ['paint', 'fence'])).resolves.toEqual(['She painted the fences']);
  });

  test('key, value and category are searched too', async () => {
    await store({ userId: 'keys', content: 'x', key: 'home_town', value: 'Graz', category: 'identity' });
    for (const term of ['town', 'graz', 'identity']) {
      await expect(byWords('keys', [term])).resolves.toEqual(['x']);
    }
  });

  test('rare words count more, and of equal matches the shorter memory comes first', async () => {
    await store({ userId: 'bm25', content: 'a car and some more words about nothing' });
    await store({ userId: 'bm25', content: 'a car' });
    await store({ userId: 'bm25', content: 'an old car' });
    await store({ userId: 'bm25', content: 'a tractor among the trees of the valley' });
    const { rows } = await searchByFullText(pool, {
      ...targetOf('bm25'),
      terms: ['car', 'tractor'],
      query: '',
      limit: 9,
    });
    expect(rows.map((row) => row.content)).toEqual([
      'a tractor among the trees of the valley',
      'a car',
      'an old car',
      'a car and some more words about nothing',
    ]);
    expect(rows.every((row) => row.textScore > 0)).toBe(true);
  });

  test('says which terms nobody has; function words count as known', async () => {
    await store({ userId: 'unknown words', content: 'A green door' });
    const ask = (terms: string[]) =>
      searchByFullText(pool, { ...targetOf('unknown words'), terms, query: terms.join(' '), limit: 9 });
    expect((await ask(['green', 'dor', 'the'])).unknownTerms).toEqual(['dor']);
    expect(await ask(['dor'])).toEqual({ rows: [], unknownTerms: ['dor'], mayNameProject: false });
    expect(await ask(['the'])).toEqual({ rows: [], unknownTerms: [], mayNameProject: false });
    expect(await ask([])).toEqual({ rows: [], unknownTerms: [], mayNameProject: true });
  });

  test('says whether the query names a project, whatever the case and whether or not a word is found', async () => {
    await store({ userId: 'projects', content: 'A green door', project: 'Apollo' });
    const ask = async (query: string, terms: string[], more: Partial<SearchTarget> = {}) =>
      (await searchByFullText(pool, { ...targetOf('projects', more), terms, query, limit: 9 }))
        .mayNameProject;
    expect(await ask('what about apollo?', ['apollo'])).toBe(true);
    expect(await ask('the door of APOLLO', ['door', 'apollo'])).toBe(true);
    expect(await ask('the green door', ['green', 'door'])).toBe(false);
    expect(await ask('apollo', ['apollo'], { userId: 'someone else' })).toBe(false);
    expect(await ask('apollo', ['apollo'], { userId: null })).toBe(true);
  });

  test('Chinese, Japanese and Korean are found by pairs of characters', async () => {
    await store({ userId: 'cjk', content: '她在北京大学学习物理' });
    await store({ userId: 'cjk', content: '他住在南京' });
    await store({ userId: 'cjk', content: '東京でラーメンを食べた' });
    await store({ userId: 'cjk', content: '서울에서 살아요' });
    await expect(byWords('cjk', ['北京'])).resolves.toEqual(['她在北京大学学习物理']);
    await expect(byWords('cjk', ['京'])).resolves.toHaveLength(3);
    await expect(byWords('cjk', ['ラー', 'ーメ', 'メン'])).resolves.toEqual(['東京でラーメンを食べた']);
    await expect(byWords('cjk', ['서울'])).resolves.toEqual(['서울에서 살아요']);
    await expect(byWords('cjk', ['京北'])).resolves.toEqual([]);
  });

  test('every hit is found, through an index', async () => {
    const medium = { ...targetOf('medium'), terms: ['statement'], query: '', limit: 10_000 };
    expect((await searchByFullText(pool, medium)).rows).toHaveLength(2_000);
    await store({ userId: 'large', content: 'the only xylophone' });
    const rare = { ...targetOf('large'), terms: ['xylophone'], query: '', limit: 5 };
    const indexes = await indexesReadBy(pool, (sql) => searchByFullText(sql, rare));
    expect(indexes).toContain('memories_words_idx');
    const [plan] = await explainAll(pool, (explained) => searchByFullText(explained, rare));
    expect((await searchByFullText(pool, rare)).rows.map((row) => row.content)).toEqual([
      'the only xylophone',
    ]);
    expect(plan).not.toMatch(/Seq Scan on memories/);
    const [small] = await explainAll(pool, (explained) =>
      searchByFullText(explained, { ...targetOf('user77'), terms: ['statement', '77'], query: '', limit: 5 }),
    );
    expect(small).not.toMatch(/Seq Scan on memories/);
  });

  test('the index follows what is written', async () => {
    const id = await store({ userId: 'follows', content: 'Has a canary' });
    const target = { tenantId: DEFAULT_TENANT_ID, userId: 'follows', id };
    const actor = { actor: 'test', extractionId: null };
    await updateMemory(pool, target, { content: 'Has a parrot' }, actor);
    await expect(byWords('follows', ['canary', 'parrot'])).resolves.toEqual(['Has a parrot']);
    await deleteMemories(pool, { ...target, key: null, category: null }, actor);
    await expect(byWords('follows', ['parrot'])).resolves.toEqual([]);
    await restoreMemory(pool, target, actor);
    await expect(byWords('follows', ['parrot'])).resolves.toEqual(['Has a parrot']);
    const { rows } = await pool.query<{ after: object }>(
      'select after from memory_versions where memory_id = $1::uuid',
      [id],
    );
    for (const { after } of rows) expect(Object.keys(after)).not.toContain('search_terms');
  });
});

test('projects that a query names, by any case; the most important memory first', async () => {
  await store({ userId: 'projects', content: 'one', project: 'Orchard' });
  await store({ userId: 'projects', content: 'two', project: 'Orchard', importance: 0.9 });
  await store({ userId: 'projects', content: 'three', project: 'Windmill' });
  await store({ userId: 'projects', content: 'four' });
  const search = async (query: string) =>
    (await searchByProject(pool, { ...targetOf('projects'), query, limit: 9 })).map((row) => row.content);
  await expect(search('what is left to do for the orchard?')).resolves.toEqual(['two', 'one']);
  await expect(search('orchard or windmill')).resolves.toHaveLength(3);
  await expect(search('nothing of it')).resolves.toEqual([]);
  const [plan] = await explainAll(pool, (explained) =>
    searchByProject(explained, { ...targetOf('medium'), query: 'orchard', limit: 9 }),
  );
  expect(plan).toContain('memories_project_idx');
});

test('what was stated last comes first, through its index', async () => {
  await store({ userId: 'recent', content: 'first' });
  await store({ userId: 'recent', content: 'second' });
  const rows = await searchRecent(pool, { ...targetOf('recent'), limit: 1 });
  expect(rows.map((row) => row.content)).toEqual(['second']);
  const [plan] = await explainAll(pool, (explained) =>
    searchRecent(explained, { ...targetOf('medium'), limit: 9 }),
  );
  expect(plan).toContain('memories_stated_idx');
});

test('all users of a tenant, when no user is named', async () => {
  await store({ userId: 'one of all', content: 'the quagga of one' });
  await store({ userId: 'another of all', content: 'the quagga of another' });
  const { rows } = await searchByFullText(pool, {
    ...targetOf(null),
    terms: ['quagga'],
    query: '',
    limit: 9,
  });
  expect(rows.map((row) => row.content).toSorted()).toEqual(['the quagga of another', 'the quagga of one']);
});

test('scopes and conversations: what is kept for one, what was learned in one, what belongs to none', async () => {
  const extraction = '00000000-0000-7000-8000-0000000000aa';
  await pool.query(
    `insert into conversations (tenant_id, id, user_id) values ($1::uuid, 'c1', 'scopes'), ($1::uuid, 'c2', 'scopes')`,
    [DEFAULT_TENANT_ID],
  );
  await pool.query(
    `insert into extractions (id, tenant_id, user_id, conversation_id, from_seq, to_seq, trigger, preset)
     values ($2::uuid, $1::uuid, 'scopes', 'c1', 1, 1, 'messages', 'standard')`,
    [DEFAULT_TENANT_ID, extraction],
  );
  const learned = await store({ userId: 'scopes', content: 'gnu learned in c1' });
  await pool.query('update memories set extraction_id = $2::uuid where id = $1::uuid', [learned, extraction]);
  const own = await store({ userId: 'scopes', content: 'gnu of c2' });
  await pool.query(`update memories set scope = 'conversation', conversation_id = 'c2' where id = $1::uuid`, [
    own,
  ]);
  await store({ userId: 'scopes', content: 'gnu of nothing' });
  const found = async (more: Partial<SearchTarget>) => (await byWords('scopes', ['gnu'], more)).toSorted();
  await expect(found({})).resolves.toHaveLength(3);
  await expect(found({ scope: 'global' })).resolves.toEqual(['gnu learned in c1', 'gnu of nothing']);
  await expect(found({ scope: { conversationId: 'c1' } })).resolves.toEqual(['gnu learned in c1']);
  await expect(found({ scope: { conversationId: 'c2' } })).resolves.toEqual(['gnu of c2']);
  await expect(found({ filters: { conversation_id: 'c1' } })).resolves.toEqual(['gnu learned in c1']);
});

describe('as of a moment', () => {
  const actor = { actor: 'test', extractionId: null };
  const user = 'as of';
  const day = (number: number) => new Date(Date.UTC(2026, 0, number));

  /** Lets what was done since the last call have happened on a day. */
  const onDay = (number: number) =>
    pool.query(
      `update memory_versions set created_at = $2::timestamptz
       where user_id = $1::text and created_at > '2026-02-01'`,
      [user, day(number)],
    );

  const target = (id: string) => ({ tenantId: DEFAULT_TENANT_ID, userId: user, id });

  async function add(content: string, validFrom: string): Promise<string> {
    const id = await store({ userId: user, content });
    await pool.query(
      `with changed as (update memories set valid_from = $2::timestamptz where id = $1::uuid returning *)
       insert into memory_versions (memory_id, number, tenant_id, user_id, operation, after, actor)
       select id, 1, tenant_id, user_id, 'ADD', to_jsonb(changed) - 'search_text', 'test' from changed`,
      [id, validFrom],
    );
    return id;
  }

  test('what was valid and known then, in the words of then', async () => {
    const flat = await add('ibex in a flat', '2020-01-01');
    const gone = await add('ibex on the roof', '2020-01-01');
    await add('ibex of the future', '2999-01-01');
    await onDay(10);
    await updateMemory(pool, target(flat), { content: 'ibex in a house', content_hash: 'ab' }, actor);
    await deleteMemories(pool, { ...target(gone), key: null, category: null }, actor);
    await onDay(20);
    const at = (validAt: Date, knownAt: Date) =>
      byWords(user, ['ibex', 'flat', 'house'], { asOf: { validAt, knownAt } }).then((found) =>
        found.toSorted(),
      );
    await expect(at(day(9), day(9))).resolves.toEqual([]);
    await expect(at(day(10), day(10))).resolves.toEqual(['ibex in a flat', 'ibex on the roof']);
    await expect(at(day(21), day(21))).resolves.toEqual(['ibex in a house']);
    await expect(at(new Date('2019-01-01'), day(21))).resolves.toEqual([]);
    await expect(at(new Date('2021-01-01'), day(19))).resolves.toHaveLength(2);
    await restoreMemory(pool, target(gone), actor);
    await onDay(30);
    await expect(at(day(29), day(29))).resolves.toEqual(['ibex in a house']);
    await expect(at(day(31), day(31))).resolves.toEqual(['ibex in a house', 'ibex on the roof']);

    const vector = {
      model: 'tiny',
      dimensions: DIMENSIONS,
      vector: direction(0),
      minSimilarity: 0,
      limit: 9,
    };
    const asOf = { validAt: day(11), knownAt: day(11) };
    const near = await searchByVector(pool, { ...targetOf(user, { asOf }), ...vector });
    expect(near.map((row) => row.content).toSorted()).toEqual(['ibex in a flat', 'ibex on the roof']);
    // The house has no vector yet: the one that is stored is of the flat.
    const later = { validAt: day(31), knownAt: day(31) };
    const house = await searchByVector(pool, { ...targetOf(user, { asOf: later }), ...vector });
    expect(house.map((row) => row.content)).toEqual(['ibex on the roof']);
    const recent = await searchRecent(pool, { ...targetOf(user, { asOf }), limit: 9 });
    expect(recent).toHaveLength(2);
  });

  test('what was over by then is found only as of when that was not known', async () => {
    const id = await add('gnu in Berlin', '2020-01-01');
    await onDay(10);
    await supersedeMemories(pool, DEFAULT_TENANT_ID, [{ id, supersededBy: null, validTo: day(12) }], actor);
    await onDay(20);
    const at = (validAt: Date, knownAt: Date) => byWords(user, ['gnu'], { asOf: { validAt, knownAt } });
    await expect(at(day(11), day(21))).resolves.toEqual(['gnu in Berlin']);
    await expect(at(day(13), day(21))).resolves.toEqual([]);
    await expect(at(day(13), day(15))).resolves.toEqual(['gnu in Berlin']);
  });
});

describe('findUnindexedTurns', () => {
  beforeAll(async () => {
    await pool.query(
      `insert into conversations (tenant_id, id, user_id, last_seq, extracted_seq) values
         ($1::uuid, 'talk', 'talker', 4, 1), ($1::uuid, 'old talk', 'talker', 1, 1), ($1::uuid, 'other', 'else', 1, 0)`,
      [DEFAULT_TENANT_ID],
    );
    await pool.query(
      `insert into messages (tenant_id, conversation_id, seq, id, role, content, token_estimate, superseded, created_at)
       values ($1::uuid, 'talk', 1, 'm1', 'user', 'The okapi eats', 3, false, '2026-01-01'),
         ($1::uuid, 'talk', 2, 'm2', 'user', 'My okapi sleeps', 3, false, '2026-01-02'),
         ($1::uuid, 'talk', 3, 'm3', 'assistant', 'An okapi, and it sleeps', 3, true, '2026-01-03'),
         ($1::uuid, 'talk', 4, 'm4', 'system', 'okapi', 3, false, '2026-01-03'),
         ($1::uuid, 'old talk', 1, 'm5', 'user', 'An old okapi', 3, false, '2025-01-01'),
         ($1::uuid, 'other', 1, 'm6', 'user', 'An okapi of another', 3, false, '2026-01-01')`,
      [DEFAULT_TENANT_ID],
    );
  });

  const turns = async (
    conversationIds: string[] | null,
    pendingOnly: boolean,
    terms = ['okapi', 'sleeping'],
  ) =>
    (
      await findUnindexedTurns(
        pool,
        {
          tenantId: DEFAULT_TENANT_ID,
          userId: 'talker',
          conversationIds,
          pendingOnly,
          withPending: true,
          project: null,
          until: null,
          visibleToConversations: null,
          limit: 9,
        },
        terms,
        [],
      )
    ).map((row) => [row.messageId, row.pending, row.score]);

  test('pending ones are those that no extraction has read', async () => {
    await expect(turns(null, true)).resolves.toEqual([['m2', true, 1]]);
    await expect(turns(null, true, ['zebu'])).resolves.toEqual([]);
  });

  test('all of some conversations, those with more of the words first', async () => {
    await expect(turns(['talk'], false)).resolves.toEqual([
      ['m2', true, 1],
      ['m1', false, 0.5],
    ]);
    await expect(turns(['old talk'], false)).resolves.toEqual([['m5', false, 0.5]]);
    await expect(turns(['other'], false)).resolves.toEqual([]);
  });
});

test('similarities of all pairs that have vectors', async () => {
  const left = await store({ userId: 'pairs', vector: direction(0) });
  const right = await store({ userId: 'pairs', vector: direction(0.3) });
  const ids = [left, right, '00000000-0000-7000-8000-0000000000ff'];
  const similarity = await loadSimilarities(
    pool,
    { tenantId: DEFAULT_TENANT_ID, model: 'tiny' },
    ids.map((id) => ({ id, vectorId: id })),
  );
  expect(similarity(left, right)).toBeCloseTo(Math.cos(0.3), 2);
  expect(similarity(right, left)).toBe(similarity(left, right));
  expect(similarity(left, '00000000-0000-7000-8000-0000000000ff')).toBeUndefined();
});

test('accesses add up, from several batches at once', async () => {
  const ids = await Promise.all([1, 2, 3].map(() => store({ userId: 'accessed' })));
  const lastAt = new Date('2026-01-01T00:00:00Z');
  const batch = (memoryIds: string[]) =>
    memoryIds.map((memoryId) => ({ tenantId: DEFAULT_TENANT_ID, memoryId, count: 2, lastAt }));
  await Promise.all([
    recordAccesses(pool, batch(ids)),
    recordAccesses(pool, batch(ids.toReversed())),
    recordAccesses(pool, [
      {
        tenantId: DEFAULT_TENANT_ID,
        memoryId: '00000000-0000-7000-8000-0000000000ff',
        count: 1,
        lastAt,
      },
    ]),
  ]);
  const { rows } = await pool.query(
    'select access_count as count, last_accessed_at as at from memories where id = any($1::uuid[])',
    [ids],
  );
  expect(rows).toEqual(ids.map(() => ({ count: 4, at: lastAt })));
});
