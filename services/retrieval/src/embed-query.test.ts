import { loadConfig } from '@factmill/config';
import type { Sql } from '@factmill/database';
import { AppError } from '@factmill/errors';
import { type Embedder, LOCAL_EMBEDDING_PROFILE } from '@factmill/models';
import { afterEach, expect, jest, test } from '@jest/globals';
import type { ModelsInUse } from '@factmill/vectors';
import { createEmbedQuery } from './embed-query.ts';

afterEach(() => {
  jest.useRealTimers();
});

const { embedding } = loadConfig({
  EMBEDDING_PROVIDER: 'openai',
  EMBEDDING_BASE_URL: 'http://127.0.0.1:9/v1',
  EMBEDDING_MODEL: 'm',
  EMBEDDING_TIMEOUT_MS: '50',
});

// What says which model is in use is all that most tests ask.
function open(inUse: ModelsInUse['inUse'], config = embedding, database = null as unknown as Sql) {
  const usage = { recordLater: () => undefined };
  const embedQuery = createEmbedQuery({
    database,
    models: { inUse },
    config,
    queryTimeoutMs: 2_000,
    usage,
    now: Date.now,
  });
  return (query: string) => embedQuery(query, { tenantId: 't', userId: 'ada' });
}

test('a database that does not say which model is in use is not waited for', async () => {
  await expect(open(() => new Promise(() => {}))('dog')).resolves.toEqual({ unavailable: 'timeout' });
});

test('one that cannot be asked is an error', async () => {
  const away = new AppError('database_unavailable', 'The database cannot be reached.');
  await expect(open(() => Promise.reject(away))('dog')).rejects.toBe(away);
});

test('the time limit begins when the model is loaded', async () => {
  jest.useFakeTimers();
  const loading = Promise.withResolvers<void>();
  const asked = Promise.withResolvers<void>();
  const embedder: Pick<Embedder, 'isLoaded' | 'load' | 'loadProfile'> = {
    isLoaded: () => false,
    load: () => {
      asked.resolve();
      return loading.promise;
    },
    loadProfile: async () => null,
  };
  const inUse = {
    embedder: embedder as Embedder,
    isComplete: true,
    isLocal: true,
    endpoint: undefined,
  };
  const answer = open(async () => inUse)('dog');
  await asked.promise;
  jest.advanceTimersByTime(60_000);
  loading.resolve();
  await expect(answer).resolves.toEqual({ unavailable: 'no_provider' });
});

test('no search waits for a model that is being fetched', async () => {
  jest.useFakeTimers();
  const asked = Promise.withResolvers<void>();
  const embedder: Pick<Embedder, 'isLoaded' | 'load'> = {
    isLoaded: () => false,
    load: () => {
      asked.resolve();
      return new Promise(() => {});
    },
  };
  const inUse = { embedder: embedder as Embedder, isComplete: true, isLocal: true, endpoint: undefined };
  const { embedding: onnx } = loadConfig({ EMBEDDING_PROVIDER: 'onnx', EMBEDDING_MODEL: 'acme/encoder' });
  const ask = open(async () => inUse, onnx);
  const answer = ask('dog');
  await asked.promise;
  await jest.advanceTimersByTimeAsync(2_000);
  await expect(answer).resolves.toEqual({ unavailable: 'timeout' });
  await expect(ask('dog')).resolves.toEqual({ unavailable: 'timeout' });
});

test('a question is embedded as one: some models put a prefix before it', async () => {
  const profile = { ...LOCAL_EMBEDDING_PROFILE, dimensions: 2 };
  const embedded: unknown[] = [];
  const embedder: Pick<Embedder, 'isLoaded' | 'loadProfile' | 'embed'> = {
    isLoaded: () => true,
    loadProfile: async () => profile,
    embed: async (texts, options) => {
      embedded.push([texts, options?.as]);
      return [[1, 0]];
    },
  };
  const inUse = { embedder: embedder as Embedder, isComplete: true, isLocal: true, endpoint: undefined };
  const registered = { maybeOne: async () => ({ id: profile.id }) };
  const ask = open(async () => inUse, embedding, registered as unknown as Sql);
  await expect(ask('dog')).resolves.toMatchObject({ vector: [1, 0], isComplete: true });
  await expect(ask('cat')).resolves.toMatchObject({ vector: [1, 0] });
  expect(embedded).toEqual([
    [['dog'], 'query'],
    [['cat'], 'query'],
  ]);
});
