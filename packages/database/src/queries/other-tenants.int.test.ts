import { createHash, randomUUID } from 'node:crypto';
import { acceptRequest, newMemory, NO_QUEUE_LIMITS } from '@factmill/testkit';
import { openTestDatabase } from '@factmill/testkit/jest';
import { beforeAll, describe, expect, test } from '@jest/globals';
import { migrate } from '../migrate/migrate.ts';
import { createPool } from '../pool/create-pool.ts';
import { acceptConversations } from './accept/accept.ts';
import { listWholeDocuments, relevantDocumentChunks } from './documents/document-matches.ts';
import { putDocument } from './documents/documents.ts';
import { applyNewMemories } from './extractions/apply-memories.ts';
import { findRelevantMemories } from './extractions/known-memories.ts';
import { claimExtraction } from './extractions/ledger.ts';
import { insertMemories } from './memories/memory-writes.ts';
import { findMatchingMemories } from './memories/memory-writes.ts';
import { findCurrentMemories, findNeighbours } from './memories/neighbours.ts';
import type { NewMemory } from './memories/new-memory.ts';
import { DEFAULT_TENANT_ID, ensureTenant } from './operators/tenants.ts';
import { listNarrativePage } from './summaries/summary-parts.ts';
import { listNarrativeMemories, listProfile } from './summaries/summaries.ts';
import { saveEmbeddings } from './vectors/embeddings.ts';
import { registerEmbeddingModel } from './vectors/embedding-models.ts';

/**
 * Two tenants that have everything in common but themselves: the name of a user, the id of a conversation, and what
 * was said. Only `theirs` has memories and documents.
 */
const { database } = await openTestDatabase({ createPool, migrate }, { max: 4 });
const VECTOR = [1, 0, 0];
const ours = { tenantId: DEFAULT_TENANT_ID, userId: 'ada', conversationId: 'chat' };
let theirs: typeof ours;
let memory: NewMemory;

const hash = (text: string) => createHash('sha256').update(text).digest('hex');

function profileOf(owner: typeof ours): NewMemory {
  const memory = newMemory(owner.tenantId, owner.userId, 'The user lives in Lisbon.');
  return { ...memory, tier: 1, kind: 'fact', key: 'home', value: 'Lisbon' };
}

async function claimOf(owner: typeof ours, knownMemoryLimit = 0) {
  const request = { ...acceptRequest(owner.tenantId), ...owner };
  await acceptConversations(database, [request], NO_QUEUE_LIMITS);
  const given = { tenantId: owner.tenantId, id: request.extractionId, workerId: 'one', leaseMs: 60_000 };
  const answer = await claimExtraction(database, { ...given, knownMemoryLimit });
  if (answer.kind !== 'claimed') throw new Error(`not claimed: ${answer.kind}`);
  return answer;
}

beforeAll(async () => {
  theirs = { ...ours, tenantId: await ensureTenant(database, 'theirs', randomUUID()) };
  await registerEmbeddingModel(database, 'small', 3);
  memory = profileOf(theirs);
  await insertMemories(database, [memory], { actor: 'test', extractionId: null });
  await saveEmbeddings(database, 'small', [
    { ...theirs, memoryId: memory.id, content: memory.content, vector: VECTOR },
  ]);
  await putDocument(database, {
    tenantId: theirs.tenantId,
    id: 'manual',
    userId: theirs.userId,
    title: 'Manual',
    content: 'It is theirs.',
    matchingText: 'it is theirs',
    contentHash: hash('It is theirs.'),
    chunking: 'test',
    conversationId: null,
    project: null,
    metadata: {},
    chunks: [
      { id: randomUUID(), content: 'It is theirs.', matchingText: null, contentHash: hash('It is theirs.') },
    ],
    wantsEmbedding: false,
  });
});

describe('what another tenant has of a user of the same name', () => {
  const vectors = { model: 'small', vectors: [VECTOR] };
  const relevant = async (owner: typeof ours, names: readonly string[], near = vectors) =>
    findRelevantMemories(database, { ...owner, extractionId: randomUUID(), ...near, names, limit: 5 });
  const none = { model: 'small', vectors: [] };
  /** What belongs to no conversation. */
  const ofNone = { conversationId: '' };

  /** Everything that is read of a user, each as the texts that it finds. */
  const READS: Readonly<Record<string, (owner: typeof ours) => Promise<readonly unknown[]>>> = {
    profile: (owner) => listProfile(database, { ...owner, limit: 5 }),
    'composed narrative': (owner) => listNarrativeMemories(database, { ...owner, limit: 5 }),
    narrative: (owner) => listNarrativePage(database, { ...owner, after: null, limit: 5 }),
    neighbours: (owner) =>
      findNeighbours(database, { ...owner, ...vectors, ...ofNone, minSimilarity: 0.5, limit: 5 }),
    'memories by id': (owner) => findCurrentMemories(database, { ...owner, ...ofNone, ids: [memory.id] }),
    'memories to match': (owner) =>
      findMatchingMemories(database, {
        tenantId: owner.tenantId,
        userId: owner.userId,
        keys: ['home'],
        contentHashes: [memory.contentHash],
        subjectHashes: [],
      }),
    'known memories by vector': (owner) => relevant(owner, []),
    'known memories by name': (owner) => relevant(owner, ['Lisbon'], none),
    'known memories by time': (owner) => relevant(owner, [], none),
    'known memories of a claim': async (owner) =>
      (await claimOf({ ...owner, conversationId: randomUUID() }, 5)).input.known,
    documents: async (owner) =>
      (await listWholeDocuments(database, { ...owner, project: null, maxCharacters: 1_000 })) ?? [],
    'parts of documents': (owner) =>
      relevantDocumentChunks(database, { ...owner, project: null, near: null, limit: 5 }),
  };

  test.each(Object.entries(READS))('is not read as ours: %s', async (_what, read) => {
    expect(await read(theirs)).toHaveLength(1);
    expect(await read(ours)).toEqual([]);
  });

  test('does not count as known when a memory is stored, by key, text or vector', async () => {
    const { claim } = await claimOf(ours);
    const mine = profileOf(ours);
    const applied = await applyNewMemories(database, claim, {
      memories: [mine],
      actor: 'extraction',
      embeddings: { model: 'small', of: [{ memoryId: mine.id, content: mine.content, vector: VECTOR }] },
      outcome: {
        added: 1,
        updated: 0,
        deleted: 0,
        unchanged: 0,
        rejected: 0,
        memoryIds: [mine.id],
        degraded: null,
        embedMs: null,
      },
      postApply: null,
      nearSimilarity: 0.5,
    });
    expect(applied).toEqual({ next: null });
    await database.query('delete from memories where id = $1::uuid', [mine.id]);
  });
});
