import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { createBatcher } from './batcher.ts';

const turn = () => new Promise((resolve) => setImmediate(resolve));

/** A batcher whose batches end when the test says so. */
function setUp(options: { maxItems?: number; maxInFlight?: number; isBad?: (item: number) => boolean } = {}) {
  const batches: number[][] = [];
  const gates: (() => void)[] = [];
  const batcher = createBatcher<number, string>({
    maxSize: options.maxItems ?? 3,
    maxInFlight: options.maxInFlight ?? 1,
    run: async (items) => {
      batches.push([...items]);
      await new Promise<void>((resolve) => gates.push(resolve));
      if (items.some((item) => options.isBad?.(item))) throw new Error(`bad among ${items.length}`);
      return items.map((item) => `answer ${item}`);
    },
    failureOf: () => 'item',
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

  test('what arrives meanwhile goes together, in order, at most maxSize', async () => {
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
      maxSize: 10,
      maxInFlight: 1,
      run: () => {
        runs += 1;
        return Promise.reject(error);
      },
      failureOf: () => 'batch',
    });
    const settled = await Promise.allSettled([1, 2, 3].map((item) => batcher.submit(item)));
    expect(settled.every((result) => result.status === 'rejected' && result.reason === error)).toBe(true);
    expect(runs).toBe(1);
  });
});

describe('batches of lists', () => {
  /** A batcher of lists, bounded by how much is in them; a failure is taken for an outage. */
  function createListBatcher(maxSize: number, run: (lists: readonly (readonly number[])[]) => Promise<void>) {
    return createBatcher<readonly number[], void>({
      maxSize,
      sizeOf: (list) => list.length,
      maxInFlight: 1,
      run: async (lists) => {
        await run(lists);
        return [];
      },
      failureOf: () => 'outage',
    });
  }

  test('an outage fails what waits too; what comes later is tried', async () => {
    const batches: { lists: readonly (readonly number[])[]; end: PromiseWithResolvers<void> }[] = [];
    const batcher = createListBatcher(10, (lists) => {
      const end = Promise.withResolvers<void>();
      batches.push({ lists, end });
      return end.promise;
    });
    const failed = batcher.submit([1]);
    await turn();
    const behind = batcher.submit([2]);
    batches[0]?.end.reject(new Error('down'));
    await expect(failed).rejects.toThrow('down');
    await expect(behind).rejects.toThrow('down');
    const later = batcher.submit([3]);
    await turn();
    batches[1]?.end.resolve();
    await later;
    expect(batches.map(({ lists }) => lists)).toEqual([[[1]], [[3]]]);
  });

  test('every list is sent once, in order; together they keep the limit', async () => {
    const calls = fc.array(fc.array(fc.integer(), { maxLength: 20 }), { maxLength: 30 });
    await fc.assert(
      fc.asyncProperty(calls, fc.integer({ min: 1, max: 15 }), async (lists, maxSize) => {
        const sent: number[][][] = [];
        const batcher = createListBatcher(maxSize, async (batch) => {
          sent.push(batch.map((list) => [...list]));
          await turn();
        });
        await Promise.all(lists.map((list) => batcher.submit(list)));
        expect(sent.flat()).toEqual(lists);
        for (const batch of sent) {
          if (batch.flat().length > maxSize) expect(batch.filter((list) => list.length > 0)).toHaveLength(1);
        }
      }),
    );
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
          maxSize: maxItems,
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
          failureOf: () => 'item',
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
