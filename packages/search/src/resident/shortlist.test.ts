import { expect, test } from '@jest/globals';
import fc from 'fast-check';
import { numbersOfCode, toBitCode } from './hamming.ts';
import { shortlistByHamming } from './shortlist.ts';

/** Bits as text, first component first: `101…`. */
type Bits = string;

const vectorOf = (bits: Bits) => bits.split('').map((bit) => (bit === '1' ? 0.5 : -0.5));
const differenceOf = (left: Bits, right: Bits) =>
  left.split('').filter((bit, at) => bit !== right[at]).length;

function codesOf(rows: readonly Bits[], dimensions: number) {
  const numbers = new Uint32Array(rows.length * numbersOfCode(dimensions));
  rows.forEach((bits, row) => numbers.set(toBitCode(vectorOf(bits)), row * numbersOfCode(dimensions)));
  return { size: rows.length, dimensions, numbers };
}

const tables = fc.integer({ min: 1, max: 130 }).chain((dimensions) => {
  const bits = fc.string({ unit: fc.constantFrom('0', '1'), minLength: dimensions, maxLength: dimensions });
  return fc.record({ query: bits, rows: fc.array(bits, { maxLength: 60 }) });
});
const bounds = fc
  .tuple(fc.integer({ min: 1, max: 20 }), fc.integer({ min: 1, max: 40 }), fc.integer({ min: 0, max: 40 }))
  .map(([k, min, more]) => ({ k, min, max: min + more }));

test('a code outside of the shortlist has no smaller distance than those on it, nor than it says', () => {
  fc.assert(
    fc.property(tables, bounds, ({ query, rows }, { k, min, max }) => {
      const { places, maxHamming } = shortlistByHamming(codesOf(rows, query.length), vectorOf(query), {
        k,
        min,
        max,
      });
      expect(new Set(places).size).toBe(places.length);
      expect(places.length).toBeGreaterThanOrEqual(Math.min(min, rows.length));
      expect(places.length).toBeLessThanOrEqual(max);
      const outside = rows.flatMap((_, row) => (places.includes(row) ? [] : [row]));
      expect(maxHamming === null).toBe(outside.length === 0);
      const distanceOf = (row: number) => differenceOf(rows[row] ?? '', query);
      expect(Math.max(-1, ...places.map(distanceOf))).toBeLessThanOrEqual(maxHamming ?? query.length);
      expect(Math.min(query.length, ...outside.map(distanceOf))).toBeGreaterThanOrEqual(maxHamming ?? 0);
    }),
  );
});

test('as many as the distance of the k-th makes likely, between the bounds', () => {
  // Of 100 bits 0, 1, 2 … 99 differ. The 10th differs in 9, ± 2.9: up to 16 are likely.
  const rows = Array.from({ length: 100 }, (_, row) => '1'.repeat(row).padEnd(100, '0'));
  const codes = codesOf(rows, 100);
  const shortlist = (min: number, max: number) =>
    shortlistByHamming(codes, vectorOf('0'.repeat(100)), { k: 10, min, max });
  expect(shortlist(1, 100)).toMatchObject({ maxHamming: 16 });
  expect(shortlist(1, 100).places).toHaveLength(17);
  expect(shortlist(30, 100).places).toHaveLength(30);
  expect(shortlist(1, 12).places).toEqual(Array.from({ length: 12 }, (_, row) => row));
  expect(shortlist(100, 100)).toMatchObject({ maxHamming: null });
});
