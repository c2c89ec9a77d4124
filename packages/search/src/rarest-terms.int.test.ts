import { createPool, DEFAULT_TENANT_ID, migrate, registerEmbeddingModel } from '@factmill/database';
import { MAX_QUERY_TERMS } from '@factmill/ranking';
import { openTestDatabase } from '@factmill/testkit/jest';
import { beforeAll, expect, test } from '@jest/globals';
import { rarestTerms } from './rarest-terms.ts';
import { DIMENSIONS, storeMemory } from './search.fixture.ts';

const { database } = await openTestDatabase({ createPool, migrate });
const words = Array.from({ length: MAX_QUERY_TERMS + 10 }, (_, at) => `common${'x'.repeat(20)}${at + 10}`);
const rarest = (query: string, userId: string | null = 'ann') =>
  rarestTerms(database, { tenantId: DEFAULT_TENANT_ID, userId }, query);

beforeAll(async () => {
  await registerEmbeddingModel(database, 'tiny', DIMENSIONS);
  await storeMemory(database, { content: words.join(' ') });
  await storeMemory(database, { content: words.slice(0, -4).join(' ') });
  await storeMemory(database, { content: 'elk' });
  await storeMemory(database, { userId: 'bob', content: 'yak' });
});

test('all terms of a short query stay, known or not', async () => {
  expect(await rarest('the elk and the gnu')).toEqual(['elk', 'gnu']);
});

test('of a long one those that the fewest memories have, in its order, and none that nobody has', async () => {
  const terms = await rarest(`gnu elk ${words.join(' ')} yak`);
  expect(terms).toHaveLength(MAX_QUERY_TERMS);
  expect(terms[0]).toBe('elk');
  expect(terms).toEqual(expect.arrayContaining(words.slice(-4)));
  expect(terms).not.toContain('gnu');
  expect(terms).not.toContain('yak');
  expect(await rarest(`gnu elk ${words.join(' ')} yak`, null)).toContain('yak');
});
