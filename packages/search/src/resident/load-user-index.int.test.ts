import { createPool, DEFAULT_TENANT_ID, insertMemories, migrate } from '@factmill/database';
import { newMemory } from '@factmill/testkit';
import { openTestDatabase } from '@factmill/testkit/jest';
import { expect, test } from '@jest/globals';
import { untilPassed } from '../transactions.fixture.ts';
import { loadUserIndex } from './load-user-index.ts';

const { database } = await openTestDatabase({ createPool, migrate });
const MAX_BYTES = 16 * 1024 * 1024;

test.each([
  ['short', 250, 1],
  ['long', 130, 1_000],
])('every memory is in the index once, of pages of %s ones', async (userId, count, words) => {
  const texts = Array.from({ length: count }, (_, at) => `Note${at} ${'tea and '.repeat(words)}`);
  await insertMemories(
    database,
    texts.map((text) => newMemory(DEFAULT_TENANT_ID, userId, text)),
    { actor: 'test', extractionId: null },
  );
  await untilPassed(database);
  const loaded = await loadUserIndex(database, { tenantId: DEFAULT_TENANT_ID, userId }, MAX_BYTES);
  const { index } = loaded ?? {};
  const ids = Array.from({ length: count }, (_, row) => index?.ids.toString('hex', 16 * row, 16 * (row + 1)));
  expect([index?.size, new Set(ids).size]).toEqual([count, count]);
  const pieces = new Set(index?.pieces.split('\n'));
  expect(texts.filter((_, at) => !pieces.has(`note${at}`))).toEqual([]);
});
