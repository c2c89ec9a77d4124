import { expect, test } from '@jest/globals';
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
