import { loadConfig } from '@factmill/config';
import type { Sql } from '@factmill/database';
import { AppError } from '@factmill/errors';
import { expect, test } from '@jest/globals';
import { createEmbedQuery } from './embed-query.ts';

const { embedding } = loadConfig({
  EMBEDDING_PROVIDER: 'openai',
  EMBEDDING_BASE_URL: 'http://127.0.0.1:9/v1',
  EMBEDDING_MODEL: 'm',
  EMBEDDING_TIMEOUT_MS: '50',
});

function open(inUse: () => Promise<never>) {
  // What says which model is in use is all that is asked.
  const database = null as unknown as Sql;
  return createEmbedQuery({ database, models: { inUse }, config: embedding, now: Date.now });
}

test('a database that does not say which model is in use is not waited for', async () => {
  await expect(open(() => new Promise(() => {}))('dog')).resolves.toEqual({ unavailable: 'timeout' });
});

test('one that cannot be asked is an error', async () => {
  const away = new AppError('database_unavailable', 'The database cannot be reached.');
  await expect(open(() => Promise.reject(away))('dog')).rejects.toBe(away);
});
