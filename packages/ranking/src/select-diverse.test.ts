import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { selectDiverse } from './select-diverse.ts';

const candidates = fc
  .uniqueArray(
    fc.record({
      id: fc.integer({ min: 0, max: 50 }).map(String),
      score: fc.double({ min: 0, max: 1, noNaN: true }),
    }),
    {
      selector: ({ id }) => id,
      maxLength: 25,
    },
  )
  .map((some) => some.toSorted((a, b) => b.score - a.score));
const lambda = fc.double({ min: 0, max: 1, noNaN: true });
/** Symmetric, made up from the ids. */
const similarityOf = (left: string, right: string) => ((Number(left) * Number(right)) % 7) / 7;

describe('selectDiverse', () => {
  test('of two that say nearly the same, the second waits', () => {
    const near = (left: string, right: string) =>
      left + right === 'ab' || left + right === 'ba' ? 0.95 : 0.1;
    const picked = selectDiverse(
      [
        { id: 'a', score: 0.9 },
        { id: 'b', score: 0.88 },
        { id: 'c', score: 0.7 },
      ],
      { lambda: 0.7, limit: 3, similarityOf: near },
    );
    expect(picked.map(({ id }) => id)).toEqual(['a', 'c', 'b']);
    expect(picked[0]?.mmr).toBeCloseTo(0.63, 12);
  });

  test('picks as many as there are, up to the limit, each once, the best first', () => {
    fc.assert(
      fc.property(candidates, lambda, fc.integer({ min: 1, max: 30 }), (some, weight, limit) => {
        const picked = selectDiverse(some, { lambda: weight, limit, similarityOf });
        expect(picked).toHaveLength(Math.min(limit, some.length));
        expect(new Set(picked.map(({ id }) => id)).size).toBe(picked.length);
        if (weight > 0 && some.length > 0) expect(picked[0]?.score).toBe(some[0]?.score);
      }),
    );
  });

  test('with lambda 1, or without vectors, it is the order of scores', () => {
    fc.assert(
      fc.property(candidates, lambda, (some, weight) => {
        const order = (l: number, of: typeof similarityOf | (() => undefined)) =>
          selectDiverse(some, { lambda: l, limit: 50, similarityOf: of }).map(({ id }) => id);
        expect(order(1, similarityOf)).toEqual(some.map(({ id }) => id));
        if (weight > 0.01) expect(order(weight, () => undefined)).toEqual(some.map(({ id }) => id));
      }),
    );
  });
});
