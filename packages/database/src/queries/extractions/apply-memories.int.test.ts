import { createHash, randomUUID } from 'node:crypto';
import { acceptRequest, newMemory, NO_QUEUE_LIMITS } from '@factmill/testkit';
import { openTestDatabase } from '@factmill/testkit/jest';
import { beforeAll, beforeEach, expect, test } from '@jest/globals';
import { migrate } from '../../migrate/migrate.ts';
import { createPool } from '../../pool/create-pool.ts';
import { isRetryableConflict } from '../../pool/database-errors.ts';
import { acceptConversations } from '../accept/accept.ts';
import { applyNewMemories, type NewMemories } from './apply-memories.ts';
import { findConversation } from '../conversations/conversations.ts';
import { type NewDocument, putDocument } from '../documents/documents.ts';
import { registerEmbeddingModel } from '../vectors/embedding-models.ts';
import { findExtraction } from './extractions.ts';
import { type Claim, claimExtraction } from './ledger.ts';
import { insertMemories } from '../memories/memory-writes.ts';
import { memoriesToJson, type NewMemory } from '../memories/new-memory.ts';
import { DEFAULT_TENANT_ID } from '../operators/tenants.ts';

const NOW = new Date('2026-05-01T12:00:00Z');
const { database } = await openTestDatabase({ createPool, migrate }, { max: 4 });
let userId: string;
let conversationId: string;
let claim: Claim;

beforeAll(async () => {
  await registerEmbeddingModel(database, 'small', 3);
});
beforeEach(async () => {
  userId = randomUUID();
  conversationId = randomUUID();
  claim = await accept();
});

async function accept(): Promise<Claim> {
  const request = { ...acceptRequest(DEFAULT_TENANT_ID), userId, conversationId };
  await acceptConversations(database, [request], NO_QUEUE_LIMITS);
  return claimed(request.extractionId);
}

async function claimed(id: string): Promise<Claim> {
  const answer = await claimExtraction(database, {
    tenantId: DEFAULT_TENANT_ID,
    id,
    workerId: 'one',
    leaseMs: 60_000,
  });
  if (answer.kind !== 'claimed') throw new Error(`not claimed: ${answer.kind}`);
  return answer.claim;
}

function fact(key: string, value: string): NewMemory {
  const memory = newMemory(DEFAULT_TENANT_ID, userId, `The user's ${key} is ${value}.`);
  return { ...memory, kind: 'fact', key, value, statedAt: NOW, validFrom: NOW };
}

function brought(memories: readonly NewMemory[], embeddings: NewMemories['embeddings'] = null): NewMemories {
  const memoryIds = memories.map((memory) => memory.id);
  const counts = { added: memories.length, updated: 0, deleted: 0, unchanged: 0, rejected: 0 };
  return {
    memories,
    actor: 'extraction',
    embeddings,
    outcome: { ...counts, memoryIds, degraded: null, embedMs: null },
    postApply: null,
  };
}

const ledger = () => findExtraction(database, DEFAULT_TENANT_ID, claim.id);
async function contents(): Promise<string[]> {
  const { rows } = await database.query<{ content: string }>(
    'select content from memories where user_id = $1::text and is_current order by content',
    [userId],
  );
  return rows.map((row) => row.content);
}

test('a claim brings what the user stated last, of what its conversation may see', async () => {
  const day = (n: number) => new Date(Date.UTC(2026, 4, n));
  const memories = [
    { ...fact('first', 'a'), statedAt: day(1) },
    { ...fact('last', 'b'), statedAt: day(3) },
    { ...fact('second', 'c'), statedAt: day(2) },
    { ...fact('expired', 'd'), statedAt: day(4), expiresAt: day(5) },
    { ...fact('history', 'e'), statedAt: day(6), validTo: day(7) },
    { ...fact('of another', 'f'), userId: randomUUID(), statedAt: day(8) },
    { ...fact('kept here', 'g'), statedAt: day(9) },
    { ...fact('kept elsewhere', 'h'), statedAt: day(10) },
  ];
  await insertMemories(database, memories, { actor: 'test', extractionId: null });
  await database.query(
    `update memories m set scope = 'conversation', conversation_id = k.conversation_id
     from (values ('kept here', $1::text), ('kept elsewhere', 'elsewhere')) as k (key, conversation_id)
     where m.key = k.key and m.user_id = $2::text`,
    [conversationId, userId],
  );
  const request = { tenantId: DEFAULT_TENANT_ID, id: claim.id, workerId: 'one', leaseMs: 60_000 };
  const answer = await claimExtraction(database, { ...request, knownMemoryLimit: 3 });
  expect(answer.kind === 'claimed' && answer.input.known).toMatchObject([
    { key: 'kept here', statedAt: day(9) },
    { key: 'last', statedAt: day(3) },
    { key: 'second', statedAt: day(2) },
  ]);
});

const newDocument = (owner: string): NewDocument => ({
  tenantId: DEFAULT_TENANT_ID,
  id: randomUUID(),
  userId: owner,
  title: null,
  content: 'A text.',
  matchingText: 'a text',
  contentHash: createHash('sha256').update('A text.').digest('hex'),
  chunking: 'one',
  conversationId: null,
  project: null,
  metadata: {},
  chunks: [],
  wantsEmbedding: false,
});

test('a claim says whether the user has documents', async () => {
  const request = { tenantId: DEFAULT_TENANT_ID, id: claim.id, workerId: 'one', leaseMs: 60_000 };
  const input = { pinned: null, known: [], hasDocuments: false };
  await putDocument(database, newDocument(randomUUID()));
  expect(await claimExtraction(database, request)).toMatchObject({ kind: 'claimed', input });
  await putDocument(database, newDocument(userId));
  expect(await claimExtraction(database, request)).toMatchObject({
    input: { ...input, hasDocuments: true },
  });
});

test('what is new is stored with its versions and vectors, and the extraction is done', async () => {
  const home = fact('home', 'Lisbon');
  const boat = fact('boat', 'Ada');
  const of = [{ memoryId: boat.id, content: boat.content, vector: [0.6, -0.8, 0.00000004] }];
  expect(await applyNewMemories(database, claim, brought([home, boat], { model: 'small', of }))).toEqual({
    next: null,
  });
  expect(await contents()).toEqual([boat.content, home.content]);
  const { rows } = await database.query(
    `select v.memory_id as id, v.operation, v.extraction_id as "extractionId", e.embedding::text as vector,
       e.content_hash = m.content_hash as fits
     from memory_versions v join memories m on m.id = v.memory_id left join memory_embeddings e using (memory_id)
     where m.user_id = $1::text order by m.content`,
    [userId],
  );
  const version = { operation: 'ADD', extractionId: claim.id };
  expect(rows).toEqual([
    { id: boat.id, ...version, vector: '[0.60009766,-0.7998047,5.9604645e-08]', fits: true },
    { id: home.id, ...version, vector: null, fits: null },
  ]);
  expect(await ledger()).toMatchObject({ state: 'done', attempts: 1, added: 2 });
  const conversation = await findConversation(database, DEFAULT_TENANT_ID, conversationId);
  expect(conversation?.extractedSeq).toBe(1);
});

test('a process of the version before sends vectors as text', async () => {
  const boat = fact('boat', 'Ada');
  const vectors = ['[0.6,-0.8,0]'];
  const { outcome } = brought([boat]);
  const { answer } = await database.one<{ answer: string }>(
    `select apply_new_memories($1::uuid, $2::integer, $3::jsonb, 'extraction', 'small', array[$4::uuid], $5::text[],
       $6::jsonb, null) as answer`,
    [claim.id, claim.fence, memoriesToJson([boat]), boat.id, vectors, JSON.stringify(outcome)],
  );
  expect(answer).toBe('applied');
  const { rows } = await database.query(
    `select candidate, memory_id as id from near_memories($1::uuid, $2::text, 'small', $3::text[], 0.001, 1)`,
    [DEFAULT_TENANT_ID, userId, [null, ...vectors]],
  );
  expect(rows).toEqual([{ candidate: 2, id: boat.id }]);
});

test('an extraction that brought nothing is done too', async () => {
  expect(await applyNewMemories(database, claim, brought([]))).toEqual({ next: null });
  expect(await ledger()).toMatchObject({ state: 'done', added: 0 });
});

test.each([
  ['the same key', () => fact('home', 'Porto')],
  ['the same text', () => ({ ...fact('home', 'Lisbon'), kind: 'note' as const, key: null, value: null })],
])('nothing is done when the user has a memory with %s', async (_case, given) => {
  const known = fact('home', 'Lisbon');
  await insertMemories(database, [known], { actor: 'test', extractionId: null });
  expect(await applyNewMemories(database, claim, brought([fact('boat', 'Ada'), given()]))).toBeNull();
  expect(await contents()).toEqual([known.content]);
  expect(await ledger()).toMatchObject({ state: 'active', attempts: 0 });
});

test('a worker that was overtaken stores nothing', async () => {
  const winner = await claimed(claim.id);
  await expect(applyNewMemories(database, claim, brought([fact('home', 'Lisbon')]))).rejects.toMatchObject({
    code: 'fenced',
  });
  expect(await contents()).toEqual([]);
  expect(await applyNewMemories(database, winner, brought([fact('home', 'Lisbon')]))).toEqual({ next: null });
});

test('two that are one are a conflict, and nothing is done', async () => {
  const twice = brought([fact('home', 'Lisbon'), fact('home', 'Porto')]);
  const error: unknown = await applyNewMemories(database, claim, twice).catch((reason: unknown) => reason);
  expect(isRetryableConflict(error)).toBe(true);
  expect(await contents()).toEqual([]);
  expect(await ledger()).toMatchObject({ state: 'active' });
});

test('of two that bring the same at once one stores it', async () => {
  conversationId = randomUUID();
  const other = await accept();
  const answers = await Promise.all(
    [claim, other].map((each) => applyNewMemories(database, each, brought([fact('home', 'Lisbon')]))),
  );
  expect(answers.filter((answer) => answer !== null)).toHaveLength(1);
  expect(await contents()).toHaveLength(1);
});
