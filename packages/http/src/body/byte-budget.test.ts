import { describe, expect, test } from '@jest/globals';
import { createByteBudget } from './byte-budget.ts';

const budgetOf = (totalBytes: number, waitMs = 60_000) =>
  createByteBudget({ totalBytes, waitMs, freeBytes: 10 });

/** Whether a promise is settled once everything that could settle it has run. */
async function isSettled(promise: Promise<unknown>): Promise<boolean> {
  let settled = false;
  promise.then(
    () => (settled = true),
    () => (settled = true),
  );
  await new Promise(setImmediate);
  return settled;
}

describe('createByteBudget', () => {
  test('what does not fit waits until room is given back, first come first served', async () => {
    const budget = budgetOf(100);
    const [first, second, third] = [budget.lease(), budget.lease(), budget.lease()];
    await first.grow(60);
    const large = second.grow(80);
    const fitting = third.grow(30);
    expect(await isSettled(large)).toBe(false);
    expect(await isSettled(fitting)).toBe(false);
    first.release();
    await large;
    expect(budget.held()).toBe(80);
    second.release();
    await fitting;
    third.release();
    third.release();
    expect(budget.held()).toBe(0);
  });

  test('a lease grows to what it asks for, and small ones are not counted', async () => {
    const budget = budgetOf(100);
    const lease = budget.lease();
    await lease.grow(40);
    await lease.grow(30);
    await lease.grow(70);
    expect(budget.held()).toBe(70);
    const full = budget.lease();
    await full.grow(30);
    await budget.lease().grow(10);
    expect(budget.held()).toBe(100);
  });

  test('one that is larger than everything is let in alone', async () => {
    const budget = budgetOf(100);
    const lease = budget.lease();
    await lease.grow(500);
    const other = budget.lease().grow(20);
    expect(await isSettled(other)).toBe(false);
    lease.release();
    await other;
  });

  test('waiting ends with overloaded, for two that wait for each other as well', async () => {
    const budget = budgetOf(100, 5);
    const [left, right] = [budget.lease(), budget.lease()];
    await left.grow(50);
    await right.grow(50);
    const both = await Promise.allSettled([left.grow(80), right.grow(80)]);
    expect(both).toContainEqual(
      expect.objectContaining({ reason: expect.objectContaining({ code: 'overloaded' }) as unknown }),
    );
  });

  test('a lease that is released while it waits holds nothing', async () => {
    const budget = budgetOf(100);
    const [first, second] = [budget.lease(), budget.lease()];
    await first.grow(100);
    const waiting = second.grow(50);
    second.release();
    first.release();
    await waiting;
    expect(budget.held()).toBe(0);
  });
});
