import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { createBatcher } from './batcher.ts';

/** A batcher whose sends are recorded and end when told. */
function recordedBatcher(maxItems: number) {
  const sends: { items: readonly number[]; end: PromiseWithResolvers<void> }[] = [];
  const batcher = createBatcher<number>({
    maxItems,
    send: (items) => {
      const end = Promise.withResolvers<void>();
      sends.push({ items, end });
      return end.promise;
    },
  });
  return { batcher, sends };
}

const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

describe('createBatcher', () => {
  test('calls of one turn travel together, calls made meanwhile with the next', async () => {
    const { batcher, sends } = recordedBatcher(10);
    const first = [batcher.add([1, 2]), batcher.add([3])];
    await turn();
    const second = [batcher.add([4]), batcher.add([5])];
    expect(sends.map((send) => send.items)).toEqual([[1, 2, 3]]);
    sends[0]?.end.resolve();
    await Promise.all(first);
    await turn();
    expect(sends.map((send) => send.items)).toEqual([
      [1, 2, 3],
      [4, 5],
    ]);
    sends[1]?.end.resolve();
    await Promise.all(second);
  });

  test('a failed send rejects its calls and those behind it, later ones are tried', async () => {
    const { batcher, sends } = recordedBatcher(10);
    const failed = batcher.add([1]);
    await turn();
    const behind = batcher.add([2]);
    sends[0]?.end.reject(new Error('down'));
    await expect(failed).rejects.toThrow('down');
    await expect(behind).rejects.toThrow('down');
    const later = batcher.add([3]);
    await turn();
    sends[1]?.end.resolve();
    await later;
    expect(sends.map((send) => send.items)).toEqual([[1], [3]]);
  });

  test('every item is sent once, in order, in sends of at most the limit', async () => {
    const calls = fc.array(fc.array(fc.integer(), { maxLength: 20 }), { maxLength: 30 });
    await fc.assert(
      fc.asyncProperty(calls, fc.integer({ min: 1, max: 15 }), async (lists, maxItems) => {
        const sent: number[][] = [];
        const batcher = createBatcher<number>({
          maxItems,
          send: async (items) => {
            sent.push([...items]);
            await turn();
          },
        });
        await Promise.all(lists.map((list) => batcher.add(list)));
        expect(sent.flat()).toEqual(lists.flat());
        expect(Math.max(0, ...sent.map((items) => items.length))).toBeLessThanOrEqual(maxItems);
      }),
    );
  });
});
