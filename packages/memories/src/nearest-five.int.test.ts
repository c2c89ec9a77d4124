import { randomUUID } from 'node:crypto';
import {
  createPool,
  DEFAULT_TENANT_ID,
  migrate,
  registerEmbeddingModel,
  saveEmbeddings,
} from '@factmill/database';
import type { Candidate } from '@factmill/extraction';
import { openTestDatabase } from '@factmill/testkit/jest';
import { beforeAll, expect, test } from '@jest/globals';
import { writeMemories } from './write-memories.ts';

const { database } = await openTestDatabase({ createPool, migrate });
const NOW = new Date('2026-05-01T12:00:00Z');

beforeAll(() => registerEmbeddingModel(database, 'small', 3));

const note = (content: string): Candidate => ({
  kind: 'note',
  tier: 2,
  category: 'general',
  key: null,
  value: null,
  content,
  question: null,
  answer: null,
  tags: [],
  importance: 0.5,
  confidence: 70,
  source: 'conversation',
  sourceContext: null,
  messageIds: [],
  statedAt: NOW,
});

/** A unit vector; the farther from the first axis the higher its number. */
const vectorOf = (number: number) => [Math.cos(number / 100), Math.sin(number / 100), 0];

function write(userId: string, candidate: Candidate) {
  return database.transaction((tx) =>
    writeMemories(tx, {
      tenantId: DEFAULT_TENANT_ID,
      userId,
      memories: [{ candidate }],
      actor: { actor: 'test', extractionId: null },
      wantsEmbedding: false,
      newId: randomUUID,
      now: NOW,
      similarity: { model: 'small', duplicateSimilarity: 0.9, vectors: [vectorOf(0)] },
    }),
  );
}

/** Says something in other words beside so many memories that are nearer, and differ in a number. */
async function sayAgainBeside(nearer: number) {
  const userId = randomUUID();
  const contents = [
    ...Array.from({ length: nearer }, (_, index) => `The user owns a red boat with ${index + 20} sails.`),
    'The boat that the user owns is red and has 5 sails.',
  ];
  for (const [index, content] of contents.entries()) {
    const [written] = await write(userId, note(content));
    expect(written?.status).toBe('created');
    await saveEmbeddings(database, 'small', [
      { tenantId: DEFAULT_TENANT_ID, memoryId: written?.id ?? '', content, vector: vectorOf(index + 1) },
    ]);
  }
  const [again] = await write(userId, note('The user owns a red boat with 5 sails.'));
  return { status: again?.status, reason: again?.reason };
}

test('a statement is compared with the five memories that are most similar, and no more', async () => {
  expect(await sayAgainBeside(4)).toEqual({ status: 'unchanged', reason: 'near_duplicate' });
  expect(await sayAgainBeside(5)).toEqual({ status: 'created', reason: undefined });
});
