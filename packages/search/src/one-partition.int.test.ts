import { afterAll, describe, expect, test } from '@jest/globals';
import { randomUUID } from 'node:crypto';
import { listMemoriesQuerySchema, searchRequestSchema } from '@factmill/contracts';
import {
  acceptConversations,
  applyNewMemories,
  claimExtraction,
  createPool,
  type DatabasePool,
  eraseSome,
  extractionClaims,
  failExtraction,
  findConversation,
  findExtraction,
  findMemory,
  FIRST_EVENT,
  finishErasure,
  insertMemories,
  listConversations,
  listMemories,
  listMessages,
  migrate,
  readEvents,
  recordAccesses,
  registerEmbeddingModel,
  requestErasure,
} from '@factmill/database';
import { acceptRequest, createEmptyDatabase, newMemory, NO_QUEUE_LIMITS } from '@factmill/testkit';
import { collectPlans, type Explained, explainEverything, partitionsIn } from './one-partition.fixture.ts';
import { createSearch } from './search.ts';

// Statements that run as a user asks for something look into one partition: that of the tenant. Statements over the
// tenants belong to background work, and to the overall queue limit.

const logger = { info: () => undefined, warn: () => undefined };
const own = await createEmptyDatabase();
const { connectionString } = own;
await migrate(connectionString, { logger, partitions: 4 });
const pools: DatabasePool[] = [];
const open = (): DatabasePool => {
  const pool = createPool({ connectionString, max: 1, applicationName: 'factmill-test', logger });
  pools.push(pool);
  return pool;
};
const owner = open();
await registerEmbeddingModel(owner, 'tiny', 3);
const tenants = Array.from({ length: 8 }, () => randomUUID());
for (const tenantId of tenants) {
  await owner.query('insert into tenants (id, name) values ($1::uuid, $1::text)', [tenantId]);
}
afterAll(async () => {
  for (const pool of pools) await pool.close();
  await own.drop();
});

/**
 * Words are found by keys that have the tenant in them, in the word index of each partition: its planner would otherwise
 * read all that the tenant has (memories_with_keys).
 */
const isByWords = (plan: Explained) => JSON.stringify(plan.Plan).includes('search_keys(');

describe.each(['force_generic_plan', 'force_custom_plan'])('%s', (mode) => {
  test.each([0, 1, 2])(
    'each statement that serves a user looks into one partition (tenant %s)',
    async (nth) => {
      await explainEverything(owner, mode);
      const sql = open();
      const plans = collectPlans(sql);
      const tenantId = tenants[nth] ?? '';
      await serve(sql, tenantId);
      expect(plans.length).toBeGreaterThan(100);
      const direct = plans.filter((plan) => !isByWords(plan));
      const several = direct.filter((plan) => partitionsIn(plan).size > 1);
      expect(several.map((plan) => plan['Query Text'])).toEqual([]);
      const touched = new Set(direct.flatMap((plan) => [...partitionsIn(plan)]));
      expect([...touched]).toHaveLength(1);
    },
  );
});

/** A day of a user: what is said is accepted, extracted, found, listed and erased. */
async function serve(sql: DatabasePool, tenantId: string): Promise<void> {
  const userId = `user ${randomUUID()}`;
  const owned = { tenantId, userId };
  const [first, second] = [0, 1].map(() => ({ ...acceptRequest(tenantId), userId }));
  if (first === undefined || second === undefined) return;
  const again = { ...first, extractionId: randomUUID(), idempotencyKey: randomUUID() };
  const more = {
    ...again,
    messages: [{ ...first.messages[0], id: randomUUID() }],
  } as unknown as typeof first;
  for (const request of [first, more, second]) {
    await acceptConversations(sql, [request], { queueLimit: 0, tenantQueueLimit: 100 });
  }
  await acceptConversations(sql, [{ ...acceptRequest(tenantId), userId, extract: 'never' }], NO_QUEUE_LIMITS);

  const memories = [
    { ...newMemory(tenantId, userId, 'The user lives in Lisbon.'), key: 'home', value: 'Lisbon' },
    newMemory(tenantId, userId, 'The user keeps an otter called Pip.'),
  ];
  const claim = await claimed(sql, tenantId, first.extractionId);
  await extractionClaims.renewLeases(sql, [claim], 60_000);
  const counts = { added: 2, updated: 0, deleted: 0, unchanged: 0, rejected: 0 };
  await applyNewMemories(sql, claim, {
    memories,
    actor: 'extraction',
    embeddings: {
      model: 'tiny',
      of: memories.map(({ id, content }, at) => ({ memoryId: id, content, vector: [1, at, 0] })),
    },
    outcome: { ...counts, memoryIds: memories.map(({ id }) => id), degraded: null, embedMs: null },
    postApply: null,
    nearSimilarity: 0.99,
  });
  const failing = await claimed(sql, tenantId, second.extractionId);
  await sql.transaction((tx) => extractionClaims.assertFence(tx, failing));
  await failExtraction(sql, failing, { errorClass: 'test', errorMessage: 'A test.' });
  await insertMemories(sql, [newMemory(tenantId, userId, 'The user likes tea.')], {
    actor: 'test',
    extractionId: null,
  });

  await findExtraction(sql, tenantId, first.extractionId);
  await findMemory(sql, { ...owned, id: memories[0]?.id ?? '' });
  await listMemories(sql, {
    ...owned,
    query: listMemoriesQuerySchema.parse({}),
    pattern: '%tea%',
    after: null,
  });
  await findConversation(sql, tenantId, first.conversationId);
  await listConversations(sql, { ...owned, project: null, before: null, limit: 10 });
  await listMessages(sql, {
    tenantId,
    conversationId: first.conversationId,
    afterSeq: 0,
    toSeq: null,
    includeSuperseded: false,
    limit: 10,
  });
  await readEvents(sql, { ...owned, after: FIRST_EVENT, types: null, limit: 10 });
  await find(sql, owned);

  const erasure = await requestErasure(sql, { ...owned, id: randomUUID(), requestedBy: 'test' });
  while ((await eraseSome(sql, { id: erasure?.id ?? '', ...owned }, 100)) > 0);
  await expect(finishErasure(sql, { id: erasure?.id ?? '', ...owned })).resolves.toBe(true);
}

async function claimed(sql: DatabasePool, tenantId: string, id: string) {
  const answer = await claimExtraction(sql, {
    tenantId,
    id,
    workerId: 'one',
    leaseMs: 60_000,
    knownMemoryLimit: 5,
    provider: { name: 'llm:test', probeIntervalMs: 1_000 },
  });
  if (answer.kind !== 'claimed') throw new Error(`not claimed: ${answer.kind}`);
  return answer.claim;
}

const TINY = { id: 'tiny', dimensions: 3, minSimilarity: 0, duplicateSimilarity: 0.95, reads: () => true };

/** Searches in all modes, of one user, as of a moment, with filters and turns. */
async function find(sql: DatabasePool, owned: Readonly<{ tenantId: string; userId: string }>): Promise<void> {
  const found: string[] = [];
  const search = createSearch({
    database: sql,
    embedQuery: () => Promise.resolve({ vector: [1, 0, 0], profile: TINY, isComplete: true }),
    reranker: null,
    defaultMode: 'fused',
    recordAccesses: (_tenantId, ids) => found.push(...ids),
    logger: { warn: () => undefined, debug: () => undefined } as never,
    now: () => new Date(),
  });
  for (const mode of ['fused', 'enhanced', 'classic', 'vector'] as const) {
    for (const more of [{ include_turns: true }, { as_of: new Date() }, { filters: { kinds: ['note'] } }]) {
      const request = searchRequestSchema.parse({ query: 'Where does the otter live?', mode, ...more });
      const { results } = await search({ ...owned, request });
      expect(results.length).toBeGreaterThan(0);
    }
  }
  const lastAt = new Date();
  await recordAccesses(
    sql,
    found.map((memoryId) => ({ tenantId: owned.tenantId, memoryId, count: 1, lastAt })),
  );
}
