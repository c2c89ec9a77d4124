import { type SearchRequest, searchRequestSchema } from '@factmill/contracts';
import { createPool, DEFAULT_TENANT_ID, insertMemories, migrate, type Sql } from '@factmill/database';
import { newMemory } from '@factmill/testkit';
import { openTestDatabase } from '@factmill/testkit/jest';
import { beforeAll, expect, test } from '@jest/globals';
import { randomUUID } from 'node:crypto';
import { isAsNow } from './as-of-now.ts';
import { createSearch } from './search.ts';

type Explained = readonly Readonly<{
  Plan: Readonly<{ 'Shared Hit Blocks': number; 'Shared Read Blocks': number }>;
}>[];

const { database } = await openTestDatabase({ createPool, migrate });
const [JANUARY, FEBRUARY, MARCH, APRIL] = ['2020-01-01', '2020-02-01', '2020-03-01', '2020-04-01'].map(
  (day) => new Date(day),
) as [Date, Date, Date, Date];
const TALK = [
  [JANUARY, 'In January I saw an otter.'],
  [MARCH, 'In March the otter was gone.'],
] as const;

/** Adds a memory that has been known since January. */
async function remember(userId: string, content: string, validFrom: Date): Promise<string> {
  const memory = { ...newMemory(DEFAULT_TENANT_ID, userId, content), statedAt: JANUARY, validFrom };
  await insertMemories(database, [memory], { actor: 'test', extractionId: null });
  await database.query('update memory_versions set created_at = $2::timestamptz where memory_id = $1::uuid', [
    memory.id,
    JANUARY,
  ]);
  return memory.id;
}

/** Stores the talk as a conversation, in the index of turns or not yet. */
async function say(conversationId: string, isIndexed: boolean): Promise<void> {
  await database.query(
    `insert into conversations (tenant_id, id, user_id, last_seq, extracted_seq, indexed_seq)
     values ($1::uuid, $2::text, 'ann', 2, 2, $3::integer)`,
    [DEFAULT_TENANT_ID, conversationId, isIndexed ? 2 : 0],
  );
  for (const [index, [createdAt, content]] of TALK.entries()) {
    await database.query(
      `insert into messages (tenant_id, conversation_id, seq, id, role, content, token_estimate, created_at)
       values ($1::uuid, $2::text, $3::integer, 'm' || $3::integer, 'user', $4::text, 5, $5::timestamptz)`,
      [DEFAULT_TENANT_ID, conversationId, index + 1, content, createdAt],
    );
    if (!isIndexed) continue;
    await database.query(
      `insert into turn_parts (id, tenant_id, user_id, conversation_id, seq, position, content)
       values ($1::uuid, $2::uuid, 'ann', $3::text, $4::integer, 0, $5::text)`,
      [randomUUID(), DEFAULT_TENANT_ID, conversationId, index + 1, content],
    );
  }
}

const search = createSearch({
  database,
  embedQuery: async () => null,
  reranker: null,
  defaultMode: 'fused',
  recordAccesses: () => undefined,
  logger: { warn: () => undefined } as never,
  now: () => APRIL,
});

async function find(as_of: SearchRequest['as_of']): Promise<string[]> {
  const request = searchRequestSchema.parse({ query: 'otter', as_of, include_turns: true, collapse: false });
  const { results } = await search({ tenantId: DEFAULT_TENANT_ID, userId: 'ann', request });
  return results
    .map(({ turn, memory }) => `${turn?.conversation_id ?? 'memory'}: ${memory.content}`)
    .toSorted();
}

const targetOf = (userId: string, asOf = { validAt: FEBRUARY, knownAt: FEBRUARY }) => ({
  tenantId: DEFAULT_TENANT_ID,
  userId,
  asOf,
});

const HELD = ['memory: The otter lives in the pond.'];
const BEGUN = [...HELD, 'memory: The otter moves to the lake.'];
const saidBy = (turns: number) =>
  ['indexed', 'unindexed'].flatMap((talk) =>
    TALK.slice(0, turns).map(([, content]) => `${talk}: ${content}`),
  );

/** What is found as of a moment: valid at, known at. */
const FOUND = [
  [FEBRUARY, FEBRUARY, [...HELD, ...saidBy(1)]],
  [APRIL, APRIL, [...BEGUN, ...saidBy(2)]],
  [APRIL, FEBRUARY, [...BEGUN, ...saidBy(1)]],
  [FEBRUARY, APRIL, [...HELD, ...saidBy(1)]],
] as const;

beforeAll(async () => {
  await remember('ann', 'The otter lives in the pond.', JANUARY);
  await remember('ann', 'The otter moves to the lake.', MARCH);
  await say('indexed', true);
  await say('unindexed', false);
});

test('what begins to hold or was said later is not found, whether or not memories have changed since', async () => {
  const expectFound = async (isSame: boolean) => {
    for (const [validAt, knownAt, found] of FOUND) {
      expect(await isAsNow(database, targetOf('ann', { validAt, knownAt }))).toBe(isSame);
      const as_of = { valid_at: validAt.toISOString(), known_at: knownAt.toISOString() };
      expect(await find(as_of)).toEqual(found.toSorted());
    }
  };
  await expectFound(true);
  const newer = newMemory(DEFAULT_TENANT_ID, 'ann', 'The zebra is new.');
  await insertMemories(database, [newer], { actor: 'test', extractionId: null });
  await expectFound(false);
});

test.each([
  ['one has ended since', `valid_to = '2020-03-01'`, false],
  ['one had ended by then', `valid_to = '2020-01-15'`, true],
  ['one has expired since', `expires_at = '2020-03-01'`, false],
  ['one is going to expire', `expires_at = '2999-01-01'`, true],
  ['one is said to end', `valid_to = '2999-01-01'`, false],
])('whether memories are as they were: %s', async (_what, change, isSame) => {
  const userId = randomUUID();
  const id = await remember(userId, 'The otter lives in the pond.', JANUARY);
  await database.query(`update memories set ${change} where id = $1::uuid`, [id]);
  expect(await isAsNow(database, targetOf(userId))).toBe(isSame);
});

const LATER = new Date('2990-01-01');

test.each([
  ['nothing happens by then', '', true],
  ['one begins after it', `valid_from = '2999-01-01'`, true],
  ['one begins by then', `valid_from = '2980-01-01'`, false],
  ['one expires after it', `expires_at = '2999-01-01'`, true],
  ['one has expired by then', `expires_at = '2980-01-01'`, false],
])('whether memories are as they will be: %s', async (_what, change, isSame) => {
  const userId = randomUUID();
  const id = await remember(userId, 'The otter lives in the pond.', JANUARY);
  if (change !== '') await database.query(`update memories set ${change} where id = $1::uuid`, [id]);
  expect(await isAsNow(database, targetOf(userId, { validAt: LATER, knownAt: LATER }))).toBe(isSame);
});

test('as of a moment to come: what begins until then is found, what expires until then is not', async () => {
  const add = (content: string, of: object) => ({
    ...newMemory(DEFAULT_TENANT_ID, 'eve', content),
    statedAt: JANUARY,
    validFrom: JANUARY,
    ...of,
  });
  await insertMemories(
    database,
    [
      add('The otter lives in the pond.', {}),
      add('The otter moves to the lake.', { validFrom: new Date('2980-01-01') }),
      add('The otter is on holiday.', { expiresAt: new Date('2980-01-01') }),
    ],
    { actor: 'test', extractionId: null },
  );
  const request = searchRequestSchema.parse({
    query: 'otter',
    as_of: LATER.toISOString(),
    collapse: false,
  });
  const { results } = await search({ tenantId: DEFAULT_TENANT_ID, userId: 'eve', request });
  expect(results.map(({ memory }) => memory.content).toSorted()).toEqual([
    'The otter lives in the pond.',
    'The otter moves to the lake.',
  ]);
});

test('as of a moment to come the answer takes a few pages, also by a plan for any user', async () => {
  await database.query(
    `insert into memories (id, tenant_id, user_id, kind, tier, conversation_id, source, content, content_hash,
       stated_at, valid_from)
     select gen_random_uuid(), $1::uuid, 'many', 'note', 2, '', 'test', 'Otter ' || n, sha256(n::text::bytea),
       '2020-01-01', '2020-01-01' from generate_series(1, 3000) as n`,
    [DEFAULT_TENANT_ID],
  );
  await database.query(
    `insert into memory_versions (memory_id, number, tenant_id, user_id, operation, after, actor)
     select id, 1, tenant_id, user_id, 'ADD', to_jsonb(m) - 'search_text', 'test' from memories m
     where user_id = 'many'`,
  );
  await database.query('analyze memories, memory_versions');
  let asked = '';
  const spy = { one: (text: string) => Promise.resolve({ same: (asked = text) !== '' }) };
  await isAsNow(spy as unknown as Sql, targetOf('many'));
  const pages = await database.transaction(async (sql) => {
    await sql.query('set local plan_cache_mode = force_generic_plan');
    await sql.query(`prepare as_now (uuid, text, timestamptz, timestamptz) as ${asked}`);
    const plan = await sql.one<Record<string, Explained>>(
      `explain (analyze, buffers, format json)
       execute as_now ('${DEFAULT_TENANT_ID}', 'many', 'tomorrow', 'tomorrow')`,
    );
    await sql.query('deallocate as_now');
    const top = plan['QUERY PLAN']?.[0]?.Plan;
    return (top?.['Shared Hit Blocks'] ?? 0) + (top?.['Shared Read Blocks'] ?? 0);
  });
  expect(pages).toBeLessThan(30);
});
