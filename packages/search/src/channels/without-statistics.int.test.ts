import { createTestDatabase, type TestDatabase } from '@factmill/testkit';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import {
  createPool,
  type DatabasePool,
  DEFAULT_TENANT_ID,
  listProfile,
  migrate,
  registerEmbeddingModel,
  type Sql,
} from '@factmill/database';
import { hydrate } from '../hydrate.ts';
import type { SearchTarget } from '../target.ts';
import { searchByFullText } from './by-full-text.ts';
import { searchByProject } from './by-project.ts';
import { searchBySubstring } from './by-substring.ts';
import { searchByVector } from './by-vector.ts';
import { searchRecent } from './recent.ts';

const logger = { info: () => undefined, warn: () => undefined };
const MEMORIES = 3_000;
const DIMENSIONS = 128;
const LIMIT = 45;

let testDatabase: TestDatabase;
let pool: DatabasePool;

beforeAll(async () => {
  testDatabase = await createTestDatabase({ migrate: (url, how) => migrate(url, { logger, ...how }) });
  pool = createPool({
    connectionString: testDatabase.connectionString,
    max: 1,
    applicationName: 'factmill-test',
    logger,
  });
  for (const table of ['memories', 'memory_embeddings', 'memory_versions']) {
    await pool.query(`alter table ${table} set (autovacuum_enabled = false)`);
  }
  await registerEmbeddingModel(pool, 'signed', DIMENSIONS);
  await pool.query(
    `insert into memories (id, tenant_id, user_id, kind, tier, tags, project, conversation_id, source, content,
       content_hash, stated_at, valid_from)
     select gen_random_uuid(), $1::uuid, 'big', 'note', 2 + (n % 10 = 0)::integer, array['tag' || n % 750],
       'project-' || n % 7, '', 'test', 'The clock tower has entry ' || n, sha256(n::text::bytea), now(),
       '2020-01-01'
     from generate_series(1, $2::integer) as n`,
    [DEFAULT_TENANT_ID, MEMORIES],
  );
  await pool.query(
    `insert into memory_versions (memory_id, number, tenant_id, user_id, operation, after, actor)
     select id, 1, tenant_id, user_id, 'ADD', to_jsonb(m) - 'search_text', 'test' from memories m`,
  );
  await pool.query(
    `insert into memory_embeddings (memory_id, model, tenant_id, user_id, content_hash, embedding)
     select id, 'signed', tenant_id, user_id, content_hash,
       (select array_agg(1 + random()) from generate_series(1, $1::integer) where m.id is not null)::real[]::halfvec
     from memories m`,
    [DIMENSIONS],
  );
  const { analysed } = await pool.one<{ analysed: number }>(
    `select count(*)::integer as analysed from pg_class
     where relname in ('memories', 'memory_embeddings', 'memory_versions') and reltuples >= 0`,
  );
  expect(analysed).toBe(0);
});

afterAll(async () => {
  await pool.close();
  await testDatabase.drop();
});

type Plan = { Plan: { 'Shared Hit Blocks': number; 'Shared Read Blocks': number } };

/** The pages that a search reads, counted again each time that one is read: what it costs, on any machine. */
async function pagesOf(run: (sql: Sql) => Promise<unknown>): Promise<number> {
  let pages = 0;
  await run({
    ...pool,
    query: async (text, values) => {
      const { plan } = await pool
        .one<{ plan: Plan[] }>(`explain (analyze, buffers, format json) ${text}`, values)
        .then((row) => ({ plan: (row as unknown as { 'QUERY PLAN': Plan[] })['QUERY PLAN'] }));
      const top = plan[0]?.Plan;
      pages += (top?.['Shared Hit Blocks'] ?? 0) + (top?.['Shared Read Blocks'] ?? 0);
      return pool.query(text, values);
    },
  });
  return pages;
}

const base: SearchTarget = { tenantId: DEFAULT_TENANT_ID, userId: 'big', filters: {} };
const moment = (at: Date) => ({ asOf: { validAt: at, knownAt: at } });
const vector = Array.from({ length: DIMENSIONS }, () => 1);

const CHANNELS: Record<string, (sql: Sql, target: SearchTarget) => Promise<unknown>> = {
  vector: (sql, target) =>
    searchByVector(sql, {
      ...target,
      model: 'signed',
      dimensions: DIMENSIONS,
      vector,
      minSimilarity: 0.3,
      limit: LIMIT,
    }),
  words: (sql, target) =>
    searchByFullText(sql, { ...target, terms: ['clock', 'tower'], query: 'clock tower', limit: LIMIT }),
  substrings: (sql, target) =>
    searchBySubstring(sql, { ...target, phrase: 'clock tow', terms: ['clo'], limit: LIMIT }),
  projects: (sql, target) => searchByProject(sql, { ...target, query: 'about project-3', limit: LIMIT }),
  recent: (sql, target) => searchRecent(sql, { ...target, limit: LIMIT }),
};

const TARGETS: Record<string, () => SearchTarget> = {
  'rare tags': () => ({ ...base, filters: { tags: ['tag7'] } }),
  'a tag that nothing has': () => ({ ...base, filters: { tags: ['none'] } }),
  tiers: () => ({ ...base, filters: { tiers: [3] } }),
  'kinds and categories': () => ({ ...base, filters: { kinds: ['note'], categories: ['general'] } }),
  'a project': () => ({ ...base, filters: { project: 'project-3' } }),
  'the global scope': () => ({ ...base, scope: 'global' as const, visibleToConversation: 'c1' }),
  'the scope of a conversation': () => ({ ...base, scope: { conversationId: 'c1' } }),
  'as of now': () => ({ ...base, ...moment(new Date(Date.now() + 60_000)) }),
  'as of before anything was known': () => ({ ...base, ...moment(new Date('2021-01-01')) }),
  'all users': () => ({ ...base, userId: null, filters: { tags: ['tag7'] } }),
};

describe('without planner statistics a search reads each memory a few times at most', () => {
  // A table of 3,000 memories has about 300 pages; a lookup by id reads 3. Compared pair by pair it were millions.
  const MAX_PAGES = 12 * MEMORIES;

  test.each(Object.keys(TARGETS))('%s', async (name) => {
    const pages: Record<string, number> = {};
    for (const [channel, run] of Object.entries(CHANNELS)) {
      pages[channel] = await pagesOf((sql) => run(sql, TARGETS[name]?.() ?? base));
    }
    for (const [channel, count] of Object.entries(pages)) {
      expect({ channel, count, isFew: count <= MAX_PAGES }).toEqual({ channel, count, isFew: true });
    }
  });

  test('the profile of a context is read without the other memories', async () => {
    const profile = (sql: Sql) =>
      listProfile(sql, { tenantId: DEFAULT_TENANT_ID, userId: 'big', limit: LIMIT });
    expect(await pagesOf(profile)).toBeLessThan(10);
  });

  test('results as of a moment are read by their ids', async () => {
    const rows = await searchRecent(pool, { ...base, limit: LIMIT });
    const ids = rows.map(({ id }) => id);
    const target = { ...base, ...moment(new Date(Date.now() + 60_000)) };
    expect((await hydrate(pool, target, ids)).rows).toHaveLength(LIMIT);
    expect(await pagesOf((sql) => hydrate(sql, target, ids))).toBeLessThan(20 * LIMIT);
  });
});
