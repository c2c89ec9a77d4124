import { loadConfig } from '@factmill/config';
import type { Sql } from '@factmill/database';
import { AppError } from '@factmill/errors';
import type { Embedder } from '@factmill/models';
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

function open(inUse: ModelsInUse['inUse'], config = embedding) {
  // What says which model is in use is all that is asked.
  const database = null as unknown as Sql;
  return createEmbedQuery({ database, models: { inUse }, config, now: Date.now });
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
