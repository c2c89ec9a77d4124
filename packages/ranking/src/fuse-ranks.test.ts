import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { fuseRanks, type RankedList } from './fuse-ranks.ts';

const ids = fc.uniqueArray(fc.integer({ min: 0, max: 40 }).map(String), { maxLength: 30 });
const lists = fc.array(
  fc.record({
    channel: fc.constantFrom('vector', 'text', 'project'),
    weight: fc.double({ min: 0.1, max: 2, noNaN: true }),
    ids,
  }),
  { maxLength: 4 },
);

const unlike: { channel: 'vector'; weight: number; ids: string[] }[] = [
  { channel: 'vector', weight: 0.100_000_000_000_000_13, ids: [] },
  { channel: 'vector', weight: 0.100_000_000_000_000_17, ids: [] },
  { channel: 'vector', weight: 0.100_000_000_000_000_21, ids: ['0', '1', '2', '10'] },
  { channel: 'vector', weight: 0.100_000_000_000_000_23, ids: ['0', '1', '2', '3'] },
];

describe('fuseRanks', () => {
  test('what several lists have comes before what one has; the first of all has 1', () => {
    const fused = fuseRanks([
      { channel: 'vector', weight: 1, ids: ['a', 'b', 'c'] },
      { channel: 'text', weight: 0.5, ids: ['a', 'c'] },
    ]);
    expect(fused.map(({ id }) => id)).toEqual(['a', 'c', 'b']);
    expect(fused[0]?.score).toBeCloseTo(1, 12);
    expect(fused[1]?.contributions.map(({ channel, rank }) => [channel, rank])).toEqual([
      ['vector', 3],
      ['text', 2],
    ]);
  });

  test('where a channel says yes or no, all have the first rank and their share of it', () => {
    const fused = fuseRanks([{ channel: 'exact', weight: 1, ids: ['a', 'b', 'c'], shares: [0.5, 1, 1] }]);
    expect(fused.map(({ id, score }) => [id, score])).toEqual([
      ['b', 1],
      ['c', 1],
      ['a', 0.5],
    ]);
    expect(fused.map(({ contributions }) => contributions[0]?.rank)).toEqual([1, 1, 1]);
  });

  test('nothing is lost, added or doubled, and scores never rise', () => {
    fc.assert(
      fc.property(lists, (given) => {
        const fused = fuseRanks(given);
        const found = fused.map(({ id }) => id);
        expect(found.toSorted()).toEqual([...new Set(given.flatMap((list) => list.ids))].toSorted());
        let previous = 1;
        for (const { score } of fused) {
          expect(score).toBeGreaterThan(0);
          expect(score).toBeLessThanOrEqual(previous);
          previous = score;
        }
      }),
    );
  });

  test('the order of the lists does not matter', () => {
    fc.assert(
      fc.property(
        lists.chain((given) =>
          fc.tuple(fc.constant(given), fc.shuffledSubarray(given, { minLength: given.length })),
        ),
        ([given, shuffled]) => {
          const plain = (some: readonly RankedList[]) => fuseRanks(some).map(({ id, score }) => [id, score]);
          const [left, right] = [plain(given), plain(shuffled)];
          expect(right.map(([id]) => id)).toEqual(left.map(([id]) => id));
          for (const [at, [, score]] of left.entries()) expect(right[at]?.[1]).toBeCloseTo(Number(score), 12);
        },
      ),
      // 3 of the one list and 10 of the other are equal but for rounding.
      { examples: [[[unlike, [1, 2, 0, 3].flatMap((at) => unlike[at] ?? [])]]] },
    );
  });

  test('a better rank in one list never lowers a score', () => {
    fc.assert(
      fc.property(lists, ids, fc.nat(), (given, more, pick) => {
        if (more.length < 2) return;
        const at = 1 + (pick % (more.length - 1));
        const [id, above] = [more[at] ?? '', more[at - 1] ?? ''];
        const swapped = more.with(at - 1, id).with(at, above);
        const scoreIn = (list: readonly string[]) =>
          fuseRanks([...given, { channel: 'moved', weight: 1, ids: list }]).find((one) => one.id === id)
            ?.score ?? 0;
        expect(scoreIn(swapped)).toBeGreaterThanOrEqual(scoreIn(more) - 1e-12);
      }),
    );
  });
});
