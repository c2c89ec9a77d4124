import { expect, test } from '@jest/globals';
import fc from 'fast-check';
import { codesOf } from './codes.fixture.ts';
import { ESTIMATE_OF_ONE, estimateSimilarities } from './estimate-similarities.ts';
import { isBeyondShortlist, shortlistByEstimate } from './shortlist.ts';

const numbers = (length: number) =>
  fc.array(fc.double({ min: -1, max: 1, noNaN: true }), { minLength: length, maxLength: length });
const tables = fc
  .integer({ min: 1, max: 40 })
  .chain((dimensions) =>
    fc.record({ query: numbers(dimensions), rows: fc.array(numbers(dimensions), { maxLength: 60 }) }),
  );
const bounds = fc
  .record({ k: fc.integer({ min: 1, max: 20 }), min: fc.integer({ min: 1, max: 40 }), more: fc.nat(40) })
  .map(({ k, min, more }) => ({ k, min, max: min + more, minSimilarity: -1 }));

test('a code outside of the shortlist has no higher estimate than those on it, nor than it says', () => {
  fc.assert(
    fc.property(tables, bounds, fc.boolean(), ({ query, rows }, wanted, onlyEven) => {
      const codes = codesOf(rows, query.length);
      const isAllowed = (place: number) => !onlyEven || place % 2 === 0;
      const { places, highestOutside } = shortlistByEstimate(codes, query, wanted, isAllowed);
      const allowed = rows.map((_, place) => place).filter(isAllowed);
      expect(new Set(places).size).toBe(places.length);
      expect(places.every(isAllowed)).toBe(true);
      expect(places.length).toBeGreaterThanOrEqual(Math.min(wanted.min, allowed.length));
      expect(places.length).toBeLessThanOrEqual(wanted.max);
      const outside = allowed.filter((place) => !places.includes(place));
      expect(highestOutside === null).toBe(outside.length === 0);
      const estimates = [...estimateSimilarities(codes, query)];
      const estimateAt = (place: number) => (estimates[place] ?? 0) / ESTIMATE_OF_ONE;
      expect(Math.min(2, ...places.map(estimateAt))).toBeGreaterThanOrEqual(highestOutside ?? -1);
      expect(Math.max(-1, ...outside.map(estimateAt))).toBe(highestOutside ?? -1);
    }),
  );
});

/** Of 400 components 0, 2, 4 … have another sign: estimates of 1, 0.99, 0.98 … */
const query = Array.from({ length: 400 }, () => 1);
const codes = codesOf(
  Array.from({ length: 100 }, (_, row) => query.map((_one, at) => (at < 2 * row ? -1 : 1))),
  400,
);
const shortlist = (min: number, max: number, minSimilarity = -1) =>
  shortlistByEstimate(codes, query, { k: 10, min, max, minSimilarity });

test('as many as the estimate of the k-th makes likely, between the bounds', () => {
  // The 10th has an estimate of 0.91, ± 0.016: down to 0.855 is likely.
  expect(shortlist(1, 100).places).toHaveLength(15);
  expect(shortlist(1, 100).highestOutside).toBeCloseTo(0.85, 2);
  expect(shortlist(30, 100).places).toHaveLength(30);
  expect(shortlist(1, 12).places).toEqual(Array.from({ length: 12 }, (_, row) => row));
  expect(shortlist(100, 100)).toMatchObject({ highestOutside: null });
});

test('what is hardly similar enough is not looked for', () => {
  // 0.95, ± 0.012: down to 0.909.
  expect(shortlist(30, 100, 0.95).places).toHaveLength(10);
  expect(shortlist(30, 100, 0.95).highestOutside).toBeCloseTo(0.9, 2);
});

test('a vector as near as this would have had a higher estimate', () => {
  const outside = (highestOutside: number | null) => ({ places: [], highestOutside });
  // At 0.5, ± 0.033.
  expect(isBeyondShortlist(outside(0.46), 0.5, 384)).toBe(true);
  expect(isBeyondShortlist(outside(0.48), 0.5, 384)).toBe(false);
  expect(isBeyondShortlist(outside(0.6), 0.5, 384)).toBe(false);
  expect(isBeyondShortlist(outside(0.48), 0.5, 3_072)).toBe(true);
  expect(isBeyondShortlist(outside(null), -1, 384)).toBe(true);
});
