import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Client, createClient } from '@factmill/client';
import { tinyCrossEncoder, tinyEncoder, waitFor, writeTinyModel } from '@factmill/testkit';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { openSystem, type SystemUnderTest } from '../support/system-under-test.ts';

/** Animals point one way, food another, boats a third: the meanings that this model knows. */
const WORDS = {
  cat: [5, 0, 0],
  kitten: [5, 1, 0],
  dog: [5, 0, 1],
  food: [0, 5, 0],
  fish: [1, 5, 0],
  boat: [0, 0, 5],
};

let root: string;
let system: SystemUnderTest;
let client: Client;

beforeAll(async () => {
  root = await mkdtemp(join(tmpdir(), 'factmill-onnx-'));
  await writeTinyModel(join(root, 'encoder'), tinyEncoder({ words: WORDS }));
  await writeTinyModel(join(root, 'cross'), tinyCrossEncoder(Object.keys(WORDS)));
  system = await openSystem({
    EMBEDDING_PROVIDER: 'onnx',
    EMBEDDING_MODEL: join(root, 'encoder'),
    EMBEDDING_MIN_SIMILARITY: '0.5',
    RERANK_PROVIDER: 'onnx',
    RERANK_MODEL: join(root, 'cross'),
    RERANK_TIMEOUT_MS: '15000',
    CHAT_MEMORY: 'true',
    CHAT_MEMORY_TIMEOUT_MS: '15000',
    AUTH: 'none',
  });
  client = createClient({ baseUrl: system.url, userId: 'maya' });
  await client.memories.batch({
    memories: [
      'The kitten sleeps on the sofa.',
      'The cat eats fish.',
      'The dog is afraid of thunder.',
      'The boat needs paint.',
      'Everybody likes the food here.',
      'Mina was born in June.',
      'The neighbours are loud.',
    ].map((content) => ({ content })),
  });
  await waitFor(async () => (await client.memories.stats()).memories.without_vector === 0, {
    describe: 'the vectors',
    timeoutMs: 60_000,
  });
});
afterAll(async () => {
  await system.close();
  await rm(root, { recursive: true });
});

test('memories are found by the meaning that the model in the folder gives them', async () => {
  const { results, degraded } = await client.memories.search({
    query: 'cat?',
    mode: 'vector',
    rerank: false,
  });
  expect(degraded).toBeUndefined();
  expect(results.map(({ memory }) => memory.content)).toEqual(
    expect.arrayContaining(['The kitten sleeps on the sofa.', 'The dog is afraid of thunder.']),
  );
  expect(results.map(({ memory }) => memory.content)).not.toContain('The boat needs paint.');
});

test('the cross-encoder decides relevance: its logits pass the sigmoid, 0.35 decides what stays', async () => {
  const search = { query: 'Does the cat like fish?', mode: 'enhanced', explain: true } as const;
  const { results, relevance, degraded } = await client.memories.search(search);
  expect(degraded).toBeUndefined();
  expect(relevance).toEqual({ by: 'reranker', threshold: 0.35 });
  expect(results.map(({ memory }) => memory.content)).toEqual(['The cat eats fish.']);
  expect(results[0]?.explain?.reranked).toBeCloseTo(1 / (1 + Math.exp(-2)), 6);

  // All logits are 0 here, which is a relevance of one half, not of none.
  await client.memories.batch({ user_id: 'nils', memories: [{ content: 'A cat called Bo.' }] });
  const [only] = await waitFor(
    async () => {
      const found = await client.memories.search({ ...search, query: 'cat', user_id: 'nils' });
      return found.results.length === 1 && found.results;
    },
    { describe: 'the vector' },
  );
  expect(only?.explain?.reranked).toBe(0.5);

  const without = await client.memories.search({ ...search, rerank: false });
  expect(without.relevance).toEqual({ by: 'cosine', threshold: 0, not_applied: 0.35 });
  expect(without.results.length).toBeGreaterThan(1);
});

test('a chat gets what the cross-encoder lets through', async () => {
  await client.chat.complete({
    model: 'chat',
    user: 'maya',
    messages: [{ role: 'user', content: 'Which food does my cat like, is it fish?' }],
    memory_score_threshold: 0.6,
  });
  const [sent] = system.model.calls.filter(({ body }) => body['model'] === 'chat');
  const received = JSON.stringify(sent?.body['messages']);
  expect(received).toContain('The cat eats fish.');
  expect(received).not.toMatch(/boat|kitten|dog|Everybody/);
});
