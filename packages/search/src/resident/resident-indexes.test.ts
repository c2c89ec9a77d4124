import { AppError } from '@factmill/errors';
import type { Sql } from '@factmill/database';
import { beforeEach, expect, test } from '@jest/globals';
import { packPage } from './index-page.fixture.ts';
import { createResidentIndexes, type ResidentIndexes } from './resident-indexes.ts';

const MINUTE = 60_000;
/** A memory without lexemes and vector takes 28 bytes. */
const MEMORY_BYTES = 28;
const PAGE_SIZE = 100;

let nowMs = 1;
let loads: unknown[] = [];
/** How many memories the database has of each user, in pages, and how much it answers beside them. */
let memories = 2;
let more: { delta?: number; upcoming?: Buffer } = {};
let fails = false;

const sql = {
  one: (_text: string, values: readonly unknown[]) => {
    if (values[2] === 'infinity') loads.push(values[1]);
    if (fails) return Promise.reject(new AppError('database_unavailable', 'The database is down.'));
    const before = values[2] === 'infinity' ? 0 : Number(values[2]);
    const count = Math.min(memories - before, PAGE_SIZE);
    return Promise.resolve({
      ...packPage(Array.from({ length: count }, () => ({ length: 1, keys: [] }))),
      watermark: '7',
      model: 'm',
      count,
      delta: 0,
      isLast: count < PAGE_SIZE,
      createdAt: String(before + count),
      id: '',
      ...more,
    });
  },
} as unknown as Sql;

const user = (userId: string) => ({ tenantId: 't', userId });

let residents: ResidentIndexes;
beforeEach(() => {
  [nowMs, loads, memories, more, fails] = [1, [], 2, {}, false];
  residents = createResidentIndexes({ database: sql, now: () => nowMs, maxBytes: 80 * MEMORY_BYTES });
});

async function search(userId: string, times = 1): Promise<boolean> {
  for (let turn = 0; turn < times; turn += 1) {
    if (residents.get(user(userId)) !== undefined) return true;
    residents.recordMiss(user(userId));
    await residents.idle();
  }
  return residents.get(user(userId)) !== undefined;
}

test('the second search of a user has the index loaded, those after it use it', async () => {
  expect(await search('ann')).toBe(false);
  expect(loads).toEqual([]);
  expect(await search('ann')).toBe(true);
  expect(await search('ann', 5)).toBe(true);
  expect(loads).toEqual(['ann']);
  expect(residents.get(user('ann'))).toMatchObject({ watermark: '7', model: 'm', size: 2 });
  expect(residents.get({ ...user('ann'), tenantId: 'other' })).toBeUndefined();
});

test('searches at the same time have it loaded once', async () => {
  await search('ann');
  residents.recordMiss(user('ann'));
  residents.recordMiss(user('ann'));
  await residents.idle();
  expect(loads).toEqual(['ann']);
});

test('all pages of a user are loaded', async () => {
  memories = 2 * PAGE_SIZE + 1;
  residents = createResidentIndexes({ database: sql, now: () => nowMs });
  await search('ann', 2);
  expect(residents.get(user('ann'))?.size).toBe(memories);
});

test('an index that is old or was evicted is loaded again', async () => {
  await search('ann', 2);
  nowMs += 10 * MINUTE;
  expect(await search('ann')).toBe(true);
  nowMs += 1;
  expect(residents.get(user('ann'))).toBeUndefined();
  expect(await search('ann')).toBe(true);
  residents.evict(user('ann'));
  expect(residents.get(user('ann'))).toBeUndefined();
  expect(await search('ann')).toBe(true);
  expect(loads).toHaveLength(3);
});

test('a user with more than an eighth of the budget is looked at every ten minutes only', async () => {
  memories = 11;
  expect(await search('ann', 5)).toBe(false);
  expect(loads).toHaveLength(1);
  memories = 10;
  nowMs += 10 * MINUTE + 1;
  expect(await search('ann', 2)).toBe(true);
});

test('where too much would be read beside it, an index is not loaded again and again', async () => {
  more = { delta: 200, upcoming: Buffer.alloc(16) };
  expect(await search('ann', 5)).toBe(false);
  expect(loads).toHaveLength(1);
  more = { delta: 200 };
  expect(await search('ben', 2)).toBe(true);
});

test('the budget goes to the users that were searched last', async () => {
  memories = 10;
  for (const id of ['1', '2', '3', '4', '5', '6', '7', '8']) await search(id, 2);
  expect(await search('1')).toBe(true);
  await search('9', 2);
  expect(residents.get(user('2'))).toBeUndefined();
  for (const id of ['1', '3', '4', '5', '6', '7', '8', '9']) {
    expect(residents.get(user(id))).toBeDefined();
  }
});

test('a database that cannot be asked is no trouble, and asked again', async () => {
  fails = true;
  expect(await search('ann', 2)).toBe(false);
  fails = false;
  expect(await search('ann')).toBe(true);
});
