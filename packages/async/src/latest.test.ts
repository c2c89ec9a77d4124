import { describe, expect, test } from '@jest/globals';
import { createLatest } from './latest.ts';

function setUp() {
  const state = { value: 1, isDown: false, now: 0, loads: 0 };
  const latest = createLatest({
    load: () => {
      state.loads += 1;
      return state.isDown ? Promise.reject(new Error('away')) : Promise.resolve(state.value);
    },
    initial: 0,
    everyMs: 2_000,
    now: () => state.now,
  });
  return { state, latest };
}

describe('createLatest', () => {
  test('loads a value once in its time', async () => {
    const { state, latest } = setUp();
    expect(latest.known()).toBe(0);
    expect(await latest.read()).toBe(1);
    state.value = 2;
    state.now = 1_999;
    expect(await latest.read()).toBe(1);
    state.now = 2_000;
    expect(await latest.read()).toBe(2);
    expect([latest.known(), state.loads]).toEqual([2, 2]);
  });

  test('keeps the last value while it cannot be loaded', async () => {
    const { state, latest } = setUp();
    state.isDown = true;
    expect(await latest.read()).toBe(0);
    state.isDown = false;
    state.now = 2_000;
    expect(await latest.read()).toBe(1);
    state.isDown = true;
    state.now = 4_000;
    expect(await latest.read()).toBe(1);
  });
});

test('everybody waits for the first value', async () => {
  const { promise, resolve } = Promise.withResolvers<number>();
  const latest = createLatest({ load: () => promise, initial: 0, everyMs: 1, now: () => 0 });
  const both = Promise.all([latest.read(), latest.read()]);
  resolve(7);
  expect(await both).toEqual([7, 7]);
});
