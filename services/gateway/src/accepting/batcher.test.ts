import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { createBatcher } from './batcher.ts';

const turn = () => new Promise((resolve) => setImmediate(resolve));

/** A batcher whose batches end when the test says so. */
function setUp(options: { maxItems?: number; maxInFlight?: number; isBad?: (item: number) => boolean } = {}) {
  const batches: number[][] = [];
  const gates: (() => void)[] = [];
  const batcher = createBatcher<number, string>({
    maxItems: options.maxItems ?? 3,
    maxInFlight: options.maxInFlight ?? 1,
    run: async (items) => {
      batches.push([...items]);
      await new Promise<void>((resolve) => gates.push(resolve));
      if (items.some((item) => options.isBad?.(item))) throw new Error(`bad among ${items.length}`);
      return items.map((item) => `answer ${item}`);
    },
    worthSplitting: () => true,
  });
  const drain = async () => {
    for (let idle = 0; idle < 3;) {
      const gate = gates.shift();
      if (gate === undefined) idle += 1;
      else {
        idle = 0;
        gate();
      }
      await turn();
    }
  };
  return { batcher, batches, drain };
}

describe('batches', () => {
  test('an idle batcher sends at the end of the turn what arrived in it', async () => {
    const { batcher, batches, drain } = setUp();
    const answers = Promise.all([batcher.submit(1), batcher.submit(2)]);
    expect(batches).toEqual([]);
    await turn();
    expect(batches).toEqual([[1, 2]]);
    await drain();
    expect(await answers).toEqual(['answer 1', 'answer 2']);
  });

  test('what arrives meanwhile goes together, in order, at most maxItems', async () => {
    const { batcher, batches, drain } = setUp();
    const answers = [batcher.submit(1)];
    await turn();
    for (const item of [2, 3, 4, 5]) answers.push(batcher.submit(item));
    await turn();
    expect(batches).toEqual([[1]]);
    await drain();
    expect(batches).toEqual([[1], [2, 3, 4], [5]]);
    expect(await Promise.all(answers)).toEqual([1, 2, 3, 4, 5].map((item) => `answer ${item}`));
  });

  test('no more than maxInFlight are under way', async () => {
    const { batcher, batches, drain } = setUp({ maxItems: 1, maxInFlight: 2 });
    const answers = [1, 2, 3].map((item) => batcher.submit(item));
    await turn();
    await turn();
    expect(batches).toEqual([[1], [2]]);
    await drain();
    expect(await Promise.all(answers)).toHaveLength(3);
  });
});

describe('failures', () => {
  test('a bad item fails alone', async () => {
    const { batcher, batches, drain } = setUp({ isBad: (item) => item === 2 });
    const settled = Promise.allSettled([1, 2, 3].map((item) => batcher.submit(item)));
    await turn();
    await drain();
    expect(batches).toEqual([[1, 2, 3], [1], [2], [3]]);
    expect((await settled).map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'fulfilled']);
  });

  test('a failure that is not about the items fails them all, once', async () => {
    const error = new Error('database away');
    let runs = 0;
    const batcher = createBatcher<number, number>({
      maxItems: 10,
      maxInFlight: 1,
      run: () => {
        runs += 1;
        return Promise.reject(error);
      },
      worthSplitting: () => false,
    });
    const settled = await Promise.allSettled([1, 2, 3].map((item) => batcher.submit(item)));
    expect(settled.every((result) => result.status === 'rejected' && result.reason === error)).toBe(true);
    expect(runs).toBe(1);
  });
});

test('whatever fails and however much arrives, every item is answered once, with its own answer', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.record({ isBad: fc.boolean(), waitsATurn: fc.boolean() }), { maxLength: 40 }),
      fc.integer({ min: 1, max: 8 }),
      fc.integer({ min: 1, max: 3 }),
      async (items, maxItems, maxInFlight) => {
        const served = new Map<number, number>();
        let inFlight = 0;
        const batcher = createBatcher<number, number>({
          maxItems,
          maxInFlight,
          run: async (batch) => {
            inFlight += 1;
            expect(batch.length).toBeLessThanOrEqual(maxItems);
            expect(inFlight).toBeLessThanOrEqual(maxInFlight);
            await turn();
            inFlight -= 1;
            if (batch.some((index) => items[index]?.isBad)) throw new Error('bad');
            for (const index of batch) served.set(index, (served.get(index) ?? 0) + 1);
            return batch.map((index) => index * 10);
          },
          worthSplitting: () => true,
        });
        const answers: Promise<number>[] = [];
        for (const [index, item] of items.entries()) {
          if (item.waitsATurn) await turn();
          answers.push(batcher.submit(index));
          answers.at(-1)?.catch(() => undefined);
        }
        for (const [index, result] of (await Promise.allSettled(answers)).entries()) {
          if (items[index]?.isBad) expect(result.status).toBe('rejected');
          else expect(result).toEqual({ status: 'fulfilled', value: index * 10 });
          expect(served.get(index) ?? 0).toBe(items[index]?.isBad ? 0 : 1);
        }
      },
    ),
    { numRuns: 40 },
  );
});
