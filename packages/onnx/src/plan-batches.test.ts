import { expect, test } from '@jest/globals';
import fc from 'fast-check';
import { planBatches } from './plan-batches.ts';

test('inputs of similar length share a run, and an input that is too long runs alone', () => {
  expect(planBatches([3, 20, 4, 5, 90], 20)).toEqual([[0, 2, 3], [1], [4]]);
  expect(planBatches([], 20)).toEqual([]);
});

test('every input is in one run, and no run of several is above the limit', () => {
  fc.assert(
    fc.property(
      fc.array(fc.integer({ min: 1, max: 600 })),
      fc.integer({ min: 1, max: 2_000 }),
      (lengths, limit) => {
        const batches = planBatches(lengths, limit);
        expect(batches.flat().toSorted((a, b) => a - b)).toEqual(lengths.map((_, index) => index));
        for (const batch of batches) {
          const longest = Math.max(...batch.map((index) => lengths[index] ?? 0));
          expect(batch.length === 1 || batch.length * longest <= limit).toBe(true);
        }
      },
    ),
  );
});
