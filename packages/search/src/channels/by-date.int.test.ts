import { createPool, DEFAULT_TENANT_ID, migrate, registerEmbeddingModel } from '@factmill/database';
import type { AskedPeriod } from '@factmill/ranking';
import { openTestDatabase } from '@factmill/testkit/jest';
import { beforeAll, expect, test } from '@jest/globals';
import { DIMENSIONS, explainAll, storeMemory } from '../search.fixture.ts';
import type { SearchTarget } from '../target.ts';
import { searchByDate } from './by-date.ts';

const { database } = await openTestDatabase({ createPool, migrate });
const target: SearchTarget = { tenantId: DEFAULT_TENANT_ID, userId: 'ann', filters: {} };
const MAY_16: AskedPeriod = {
  from: new Date('2024-05-16'),
  until: new Date('2024-05-17'),
  anyYear: false,
};

beforeAll(async () => {
  await registerEmbeddingModel(database, 'tiny', DIMENSIONS);
  for (const memory of [
    { content: 'held since that day', validFrom: '2024-05-16T20:00:00Z' },
    { content: 'held since the day before', validFrom: '2024-05-15T20:00:00Z' },
    { content: 'held since that day of another year', validFrom: '2021-05-16T20:00:00Z' },
    { content: 'told before: a flight on 16 May 2024' },
    { content: 'told before: 出差到2024年5月16日' },
    { content: 'told before: leaves 2024-05-16' },
    { content: 'told before: in May 2024' },
    { content: 'told before: a flight on 18 May 2024' },
    { content: 'it may rain' },
    { content: 'another tier', tier: 3, validFrom: '2024-05-16T08:00:00Z' },
    { content: 'deleted', deletedAt: '2024-06-01', validFrom: '2024-05-16T08:00:00Z' },
    { content: 'of another user', userId: 'bob', validFrom: '2024-05-16T08:00:00Z' },
  ]) {
    await storeMemory(database, memory);
  }
});

const find = async (periods: AskedPeriod[], more: Partial<SearchTarget> = {}, limit = 20) =>
  (await searchByDate(database, { ...target, ...more, periods, limit })).map(({ content }) => content);

test('what holds since the day or names it is found, what only names the month comes last', async () => {
  const found = await find([MAY_16]);
  expect(found.slice(0, -1).toSorted()).toEqual([
    'another tier',
    'held since that day',
    'told before: a flight on 16 May 2024',
    'told before: leaves 2024-05-16',
    'told before: 出差到2024年5月16日',
  ]);
  expect(found.at(-1)).toBe('told before: in May 2024');
  expect(found[0]).toBe('held since that day');
});

test('without a year the day of any year is meant', async () => {
  const found = await find([{ ...MAY_16, anyYear: true }]);
  expect(found).toContain('held since that day of another year');
  expect(found).not.toContain('held since the day before');
});

test('filters, limit and moment hold', async () => {
  expect(await find([MAY_16], { filters: { tiers: [3] } })).toEqual(['another tier']);
  expect(await find([MAY_16], {}, 2)).toHaveLength(2);
  expect(await find([MAY_16], { userId: 'bob' })).toEqual(['of another user']);
  const before = new Date('2023-01-01');
  expect(await find([MAY_16], { asOf: { validAt: before, knownAt: before } })).toEqual([]);
});

test('is read from the indexes of dates and of words', async () => {
  const plans = await explainAll(database, (sql) =>
    searchByDate(sql, { ...target, periods: [MAY_16], limit: 5 }),
  );
  expect(plans.join('\n')).toContain('memories_valid_idx');
});
