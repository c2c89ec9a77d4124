import {
  containing,
  createPool,
  type DatabasePool,
  DEFAULT_TENANT_ID,
  listMemories,
  migrate,
} from '@factmill/database';
import { queryPhrase, queryTerms } from '@factmill/ranking';
import { createTestDatabase, createThreadTime, type TestDatabase } from '@factmill/testkit';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import type { SearchTarget } from '../target.ts';
import { searchByFullText } from './by-full-text.ts';
import { searchByProject } from './by-project.ts';
import { searchBySubstring } from './by-substring.ts';

/** Processor time of one statement over 5,000 memories, 200 of them as long as a memory can be. */
const MAX_MS = 1_000;
const LONGEST_QUERY = 4_000;
const LONGEST_FILTER = 512;
const quiet = { info: () => undefined, warn: () => undefined };

let database: TestDatabase;
let pool: DatabasePool;
/** Of the one connection that there is. */
let backendMs: () => number;

beforeAll(async () => {
  database = await createTestDatabase({ migrate: (url, how) => migrate(url, { logger: quiet, ...how }) });
  const { connectionString } = database;
  pool = createPool({ connectionString, max: 1, applicationName: 'factmill-test', logger: quiet });
  await pool.query(
    `insert into memories (id, tenant_id, user_id, tier, kind, category, content, source, content_hash, stated_at,
       valid_from)
     select gen_random_uuid(), $1::uuid, 'ada', 2, 'note', 'general',
       case when n % 25 = 0 then repeat('a', 7990) || n else 'In note ' || n || ' 100% of a_b \\ c is in the tower.' end,
       'test', sha256(n::text::bytea), now(), now()
     from generate_series(1, 5000) as n`,
    [DEFAULT_TENANT_ID],
  );
  await pool.query('analyze memories');
  const { rows } = await pool.query<{ pid: number }>('select pg_backend_pid() as pid');
  backendMs = createThreadTime(rows[0]?.pid ?? 0, 'postgres');
});
afterAll(async () => {
  await pool.close();
  await database.drop();
});

const target: SearchTarget = { tenantId: DEFAULT_TENANT_ID, userId: 'ada', filters: {} };
const long = (unit: string, end = '') =>
  unit.repeat(Math.floor((LONGEST_QUERY - end.length) / unit.length)) + end;

/** The statements of the channels, as a search makes them. */
const CHANNELS: Readonly<Record<string, (query: string) => Promise<unknown>>> = {
  substring: (query) =>
    searchBySubstring(pool, { ...target, phrase: queryPhrase(query), terms: queryTerms(query), limit: 60 }),
  'full text': (query) => searchByFullText(pool, { ...target, terms: queryTerms(query), query, limit: 60 }),
  project: (query) => searchByProject(pool, { ...target, query, limit: 60 }),
  'q of a list': (query) =>
    listMemories(pool, {
      tenantId: DEFAULT_TENANT_ID,
      userId: 'ada',
      query: { limit: 50, sort_by: 'created_at', order: 'desc', state: 'current', all_users: false },
      pattern: containing(query.slice(0, LONGEST_FILTER)),
      after: null,
    }),
};

describe.each([
  ['percent signs', long('%')],
  ['underscores', long('_')],
  ['backslashes', long('\\')],
  ['all of them', long('%_\\ ')],
  ['what nearly repeats a memory', long('a', 'b')],
  ['what nearly repeats it in upper and lower case', long('aA', 'b')],
  [
    'many words that nearly repeat it',
    Array.from({ length: 12 }, (_, at) => `${'a'.repeat(330)}${at}b`).join(' '),
  ],
  ['one word after the other', long('tower note ')],
])('a query of %s', (_what, query) => {
  test.each(Object.keys(CHANNELS))('%s', async (channel) => {
    expect(query.length).toBeLessThanOrEqual(LONGEST_QUERY);
    const before = backendMs();
    await CHANNELS[channel]?.(query);
    expect(backendMs() - before).toBeLessThan(MAX_MS);
  });
});

test('signs that mean something in a pattern mean themselves', async () => {
  const found = async (phrase: string) =>
    (await searchBySubstring(pool, { ...target, phrase, terms: [], limit: 10_000 })).length;
  expect([await found('100%'), await found('a_b'), await found('\\'), await found('1%n')]).toEqual([
    4_800, 4_800, 4_800, 0,
  ]);
});
