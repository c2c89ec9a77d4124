import { expect } from '@jest/globals';
import { randomUUID } from 'node:crypto';
import { listMemoriesQuerySchema, searchRequestSchema } from '@factmill/contracts';
import {
  acceptConversations,
  applyNewMemories,
  claimExtraction,
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
  readEvents,
  recordAccesses,
  requestErasure,
} from '@factmill/database';
import { acceptRequest, newMemory, NO_QUEUE_LIMITS } from '@factmill/testkit';
import { createSearch } from './search.ts';

const logger = { warn: () => undefined, debug: () => undefined } as never;

/** A day of a user: what is said is accepted, extracted, found, listed and erased. */
export async function serve(sql: DatabasePool, tenantId: string): Promise<void> {
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
    logger,
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
