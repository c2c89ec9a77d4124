import { createPool, DEFAULT_TENANT_ID, migrate, registerEmbeddingModel } from '@factmill/database';
import { openTestDatabase } from '@factmill/testkit/jest';
import { beforeAll, expect, test } from '@jest/globals';
import { DIMENSIONS, storeMemory } from '../search.fixture.ts';
import type { SearchTarget } from '../target.ts';
import { findMeantWords, searchBySpelling } from './by-spelling.ts';

const { database } = await openTestDatabase({ createPool, migrate });
const target: SearchTarget = { tenantId: DEFAULT_TENANT_ID, userId: 'ann', filters: {} };

beforeAll(async () => {
  await registerEmbeddingModel(database, 'tiny', DIMENSIONS);
  for (const memory of [
    { content: 'allergic to hazelnuts' },
    { content: 'two allergies, as her mother', tier: 3 },
    { content: 'Kapitän of a ferry' },
    { content: 'her friend Katherine' },
    { content: 'cooks rice', deletedAt: '2024-06-01' },
    { content: 'an anniversary', deletedAt: '2024-06-01' },
    { content: 'an appointment', userId: 'bob' },
    { content: '她在北京学习' },
  ]) {
    await storeMemory(database, memory);
  }
});

const meantBy = async (...terms: string[]) =>
  (await findMeantWords(database, target, terms)).map(({ word }) => word);
const find = async (terms: string[], more: Partial<SearchTarget> = {}) => {
  const meant = await findMeantWords(database, target, terms);
  const hits = await searchBySpelling(database, { ...target, ...more, meant, limit: 9 });
  return hits.map(({ row }) => row.content);
};

test('the words that were meant are those of the user’s current memories', async () => {
  expect((await meantBy('alergies')).toSorted()).toEqual(['allerg', 'allergi']);
  expect((await meantBy('allergc', 'freind')).toSorted()).toEqual(['allerg', 'allergi', 'friend']);
  expect(await meantBy('kapitan')).toEqual(['kapitän']);
  expect(await meantBy('catherine')).toEqual(['katherin']);
  for (const term of ['anniversery', 'apointment', 'north', '北京人民'])
    expect(await meantBy(term)).toEqual([]);
});

test('their memories are found, those with more of the words first, within the filters', async () => {
  expect((await find(['alergies'])).toSorted()).toEqual([
    'allergic to hazelnuts',
    'two allergies, as her mother',
  ]);
  expect((await find(['alergies', 'hazlenuts']))[0]).toBe('allergic to hazelnuts');
  expect(await find(['alergies'], { filters: { tiers: [3] } })).toEqual(['two allergies, as her mother']);
  const before = new Date('2019-01-01');
  expect(await find(['alergies'], { asOf: { validAt: before, knownAt: before } })).toEqual([]);
});
