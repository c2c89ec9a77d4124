import { afterEach, beforeEach, expect, jest, test } from '@jest/globals';
import type { Sql } from '@factmill/database';
import { AppError } from '@factmill/errors';
import type { Logger } from '@factmill/telemetry';
import { type AccessRecorder, createAccessRecorder } from './access-recorder.ts';

const TENANT = '00000000-0000-7000-8000-000000000001';
const now = new Date('2026-03-01T12:00:00Z');
const namesOf = (count: number, from = 0) => Array.from({ length: count }, (_, index) => `m${from + index}`);

let isDown: boolean;
/** What each statement counted: of which memory how often. */
let written: Map<string, number>[];
let accesses: AccessRecorder;

const database = {
  query: (_text: string, [ids, counts]: [string[], number[]]) => {
    if (isDown) return Promise.reject(new AppError('database_unavailable', 'The database is down.'));
    written.push(new Map(ids.map((id, at) => [id, counts[at] ?? 0])));
    return Promise.resolve({ rows: [], rowCount: ids.length });
  },
} as unknown as Sql;

beforeEach(() => {
  jest.useFakeTimers();
  [isDown, written] = [false, []];
  const logger = { debug: () => undefined } as unknown as Logger;
  accesses = createAccessRecorder({ database, logger, now: () => now, intervalMs: 1_000 });
});

afterEach(() => {
  jest.useRealTimers();
});

test('accesses of a memory are added up and written once', async () => {
  accesses.record(TENANT, ['m1', 'm2']);
  accesses.record(TENANT, ['m2']);
  expect(written).toEqual([]);
  await jest.advanceTimersByTimeAsync(3_000);
  expect(written).toEqual([
    new Map([
      ['m1', 1],
      ['m2', 2],
    ]),
  ]);
});

test('of many memories those that wait longest are written first, the others later, all of them in the end', async () => {
  accesses.record(TENANT, namesOf(1_800));
  await jest.advanceTimersByTimeAsync(1_000);
  expect(written.map((batch) => [...batch.keys()])).toEqual([namesOf(300)]);
  accesses.record(TENANT, ['m0', 'm1799']);
  await jest.advanceTimersByTimeAsync(1_000);
  expect(written[1]?.size).toBe(251);
  await accesses.close();
  const total = new Map<string, number>();
  for (const batch of written) for (const [id, count] of batch) total.set(id, (total.get(id) ?? 0) + count);
  expect(total.size).toBe(1_800);
  expect([...total].filter(([, count]) => count !== 1)).toEqual([
    ['m0', 2],
    ['m1799', 2],
  ]);
});

test('what cannot be written is counted later, together with what comes in between', async () => {
  isDown = true;
  accesses.record(TENANT, ['m1']);
  await jest.advanceTimersByTimeAsync(1_000);
  isDown = false;
  accesses.record(TENANT, ['m1']);
  await jest.advanceTimersByTimeAsync(1_000);
  expect(written).toEqual([new Map([['m1', 2]])]);
});
