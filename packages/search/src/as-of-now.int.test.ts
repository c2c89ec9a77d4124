import { type SearchRequest, searchRequestSchema } from '@factmill/contracts';
import { createPool, DEFAULT_TENANT_ID, insertMemories, migrate } from '@factmill/database';
import { newMemory } from '@factmill/testkit';
import { openTestDatabase } from '@factmill/testkit/jest';
import { beforeAll, expect, test } from '@jest/globals';
import { randomUUID } from 'node:crypto';
import { isAsNow } from './as-of-now.ts';
import { createSearch } from './search.ts';

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
