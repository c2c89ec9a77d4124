import { afterEach, beforeEach, describe, expect, jest, test } from '@jest/globals';
import { type ChangeSignal, createChangeSignal } from './change-signal.ts';
import { repeat } from './repeat.ts';

const never = (error: unknown) => {
  throw error;
};

test('rounds follow each other, also after one that rejects', async () => {
  const errors: unknown[] = [];
  const third = Promise.withResolvers<void>();
  let rounds = 0;
  const repeated = repeat({
    firstMs: 0,
    everyMs: 0,
    round: async () => {
      rounds += 1;
      if (rounds === 1) throw new Error('away');
      if (rounds === 3) third.resolve();
    },
    onError: (error) => errors.push(error),
  });
  expect(rounds).toBe(0);
  await third.promise;
  await repeated.close();
  expect(errors).toEqual([new Error('away')]);
});

test('a round says itself when the next one is', async () => {
  const second = Promise.withResolvers<void>();
  let rounds = 0;
  const repeated = repeat({
    firstMs: 0,
    everyMs: 3_600_000,
    round: async () => {
      rounds += 1;
      if (rounds === 2) second.resolve();
      return rounds === 1 ? 0 : undefined;
    },
    onError: never,
  });
  await second.promise;
  await repeated.close();
});

test('closing waits for the round under way, which hears of it, and begins no other', async () => {
  const begun = Promise.withResolvers<AbortSignal>();
  const end = Promise.withResolvers<void>();
  let rounds = 0;
  const repeated = repeat({
    firstMs: 0,
    everyMs: 0,
    round: async (signal) => {
      rounds += 1;
      begun.resolve(signal);
      await end.promise;
    },
    onError: never,
  });
  const signal = await begun.promise;
  let isClosed = false;
  const closed = repeated.close().then(() => {
    isClosed = true;
  });
  expect(signal.aborted).toBe(true);
  await new Promise((resolve) => setImmediate(resolve));
  expect(isClosed).toBe(false);
  end.resolve();
  await closed;
  expect(rounds).toBe(1);
});

describe('an idle timer', () => {
  beforeEach(() => {
    jest.useFakeTimers();
  });
  afterEach(() => {
    jest.useRealTimers();
  });

  const signal = createChangeSignal();
  const HOUR_MS = 3_600_000;

  /** Looks every second, and is told by `idleMs` how long nothing is due. */
  function start(idleMs: number, given: ChangeSignal | null = signal) {
    const state = { rounds: 0 };
    const { close } = repeat({
      firstMs: 0,
      everyMs: 1_000,
      signal: given,
      round: async () => {
        state.rounds += 1;
        return { idleMs };
      },
      onError: never,
    });
    return { state, close };
  }

  test('sleeps until something is due', async () => {
    const { state, close } = start(20_000);
    await jest.advanceTimersByTimeAsync(19_900);
    expect(state.rounds).toBe(1);
    await jest.advanceTimersByTimeAsync(100);
    expect(state.rounds).toBe(2);
    await close();
  });

  test('looks after a minute, whatever it believes', async () => {
    const { state, close } = start(HOUR_MS);
    await jest.advanceTimersByTimeAsync(60_000);
    expect(state.rounds).toBe(2);
    await close();
  });

  test('looks soon after the first of many changes, and no later than what was due', async () => {
    const { state, close } = start(20_000);
    await jest.advanceTimersByTimeAsync(10_000);
    signal.changed();
    await jest.advanceTimersByTimeAsync(900);
    signal.changed();
    await jest.advanceTimersByTimeAsync(100);
    expect(state.rounds).toBe(2);
    await jest.advanceTimersByTimeAsync(19_700);
    signal.changed();
    await jest.advanceTimersByTimeAsync(300);
    expect(state.rounds).toBe(3);
    await close();
  });

  test('does not trust a look beside which something changed', async () => {
    let rounds = 0;
    const { close } = repeat({
      firstMs: 0,
      everyMs: 1_000,
      signal,
      round: async () => {
        rounds += 1;
        if (rounds === 1) signal.changed();
        return { idleMs: HOUR_MS };
      },
      onError: never,
    });
    await jest.advanceTimersByTimeAsync(1_000);
    expect(rounds).toBe(2);
    await close();
  });

  test('looks at its pace where it cannot hear of changes', async () => {
    const { state, close } = start(20_000, null);
    await jest.advanceTimersByTimeAsync(5_000);
    expect(state.rounds).toBe(6);
    await close();
  });
});
