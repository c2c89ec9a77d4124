import { loadConfig } from '@factmill/config';
import { expect, test } from '@jest/globals';
import { searchSlots } from './retrieval-limits.ts';

const DATABASE_URL = 'postgres://factmill@localhost/factmill';
const REMOTE = {
  EMBEDDING_PROVIDER: 'openai',
  EMBEDDING_MODEL: 'any',
  EMBEDDING_DIMENSIONS: '384',
  EMBEDDING_BASE_URL: 'http://localhost:1/v1',
};

test.each([
  ['a database', { DATABASE_URL }, 5],
  ['a database and a remote model', { DATABASE_URL, ...REMOTE }, 40],
  ['a larger pool', { DATABASE_URL, DATABASE_POOL_MAX: '30' }, 15],
  ['embedded storage', {}, 1],
  ['embedded storage with a larger pool', { DATABASE_POOL_MAX: '30' }, 1],
  ['embedded storage and a remote model', REMOTE, 4],
])('with %s so many searches run at once', (_, env, slots) => {
  expect(searchSlots(loadConfig(env))).toBe(slots);
});
