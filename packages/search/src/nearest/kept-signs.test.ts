import { beforeEach, expect, test } from '@jest/globals';
import { AppError } from '@factmill/errors';
import type { Sql } from '@factmill/database';
import { createKeptSigns, type KeptSigns, type VectorOwner } from './kept-signs.ts';

const MINUTE = 60_000;

let nowMs = 0;
let reads: unknown[] = [];
/** What the database has of each owner. */
let vectors = 2;
let fails = false;
/** Of its vectors, those that an open transaction makes count as written since. */
let written = 0;

/** As the statement answers: a vector of 128 components takes 26 bytes as it is sent. */
const sql = {
  one: (_text: string, values: readonly unknown[]) => {
    reads.push(values[1]);
    if (fails) return Promise.reject(new AppError('database_unavailable', 'The database is down.'));
    const most = Number(values[3]);
    const count = Math.min(vectors, most + 1);
    return Promise.resolve({
      since: '7',
      file: 1,
      count,
      written,
      signs: count > most ? null : new Uint8Array(count * 26),
    });
  },
} as unknown as Sql;

const owner = (userId: string): VectorOwner => ({ tenantId: 't', userId, model: 'm', dimensions: 128 });

let kept: KeptSigns;
beforeEach(() => {
  [nowMs, reads, vectors, fails, written] = [0, [], 2, false, 0];
  kept = createKeptSigns({ now: () => nowMs, mostBytes: 22 * 80 });
});

async function search(userId: string, times = 1): Promise<boolean> {
  for (let turn = 0; turn < times; turn += 1) {
    if (kept.of(owner(userId)) !== undefined) return true;
    kept.miss(sql, owner(userId));
    await kept.settled();
  }
  return kept.of(owner(userId)) !== undefined;
}

test('the second search of an owner has the signs read, those after it have them', async () => {
  expect(await search('ann')).toBe(false);
  expect(reads).toEqual([]);
  expect(await search('ann')).toBe(true);
  expect(await search('ann', 5)).toBe(true);
  expect(reads).toEqual(['ann']);
  expect(kept.of(owner('ann'))).toMatchObject({ since: '7', file: 1, table: { size: 2, dimensions: 128 } });
  expect(kept.of({ ...owner('ann'), model: 'other' })).toBeUndefined();
  expect(kept.of({ ...owner('ann'), tenantId: 'other' })).toBeUndefined();
});

test('searches at the same time have them read once', async () => {
  await search('ann');
  kept.miss(sql, owner('ann'));
  kept.miss(sql, owner('ann'));
  await kept.settled();
  expect(reads).toEqual(['ann']);
});

test('they are read again when they are old, or were forgotten', async () => {
  await search('ann', 2);
  nowMs = 10 * MINUTE;
  expect(await search('ann')).toBe(true);
  nowMs += 1;
  expect(kept.of(owner('ann'))).toBeUndefined();
  expect(await search('ann')).toBe(true);
  kept.forget(owner('ann'));
  expect(kept.of(owner('ann'))).toBeUndefined();
  expect(await search('ann')).toBe(true);
  expect(reads).toHaveLength(3);
});

test('an owner with more than an eighth of the room is looked at every ten minutes only', async () => {
  vectors = 11;
  expect(await search('ann', 5)).toBe(false);
  expect(reads).toHaveLength(1);
  vectors = 10;
  nowMs = 10 * MINUTE + 1;
  expect(await search('ann', 2)).toBe(true);
});

test('where too much counts as written since, signs are not read again and again', async () => {
  written = 201;
  expect(await search('ann', 5)).toBe(false);
  expect(reads).toHaveLength(1);
});

test('room is made by those that were not searched for the longest time', async () => {
  vectors = 10;
  for (const user of ['1', '2', '3', '4', '5', '6', '7', '8']) await search(user, 2);
  expect(await search('1')).toBe(true);
  await search('9', 2);
  expect(kept.of(owner('2'))).toBeUndefined();
  for (const user of ['1', '3', '4', '5', '6', '7', '8', '9']) expect(kept.of(owner(user))).toBeDefined();
});

test('a database that cannot be asked is no trouble, and asked again', async () => {
  fails = true;
  expect(await search('ann', 2)).toBe(false);
  fails = false;
  expect(await search('ann')).toBe(true);
});
