import { expect, test } from '@jest/globals';
import fc from 'fast-check';
import { bytesOfVector, nearestBySigns, readSignTable, sizeOfTable } from './sign-table.ts';

/** Signs as text, first component first: `101…`. */
type Signs = string;

/** What `tidsend` and `varbit_send` write for vectors at the places (0,1), (1,2), … */
function pack(rows: readonly Signs[]): Uint8Array {
  return Buffer.concat(
    rows.map((signs, row) => {
      const bytes = Buffer.alloc(4 + 2 + 4 + Math.ceil(signs.length / 8));
      bytes.writeUInt32BE(row, 0);
      bytes.writeUInt16BE(row + 1, 4);
      bytes.writeUInt32BE(signs.length, 6);
      signs.split('').forEach((sign, at) => {
        if (sign === '1') bytes[10 + (at >> 3)] = (bytes[10 + (at >> 3)] ?? 0) | (0x80 >> (at & 7));
      });
      return bytes;
    }),
  );
}

const vectorOf = (signs: Signs) => signs.split('').map((sign) => (sign === '1' ? 0.5 : -0.5));
const differenceOf = (left: Signs, right: Signs) =>
  left.split('').filter((sign, at) => sign !== right[at]).length;

const tables = fc.integer({ min: 1, max: 130 }).chain((dimensions) => {
  const signs = fc.string({ unit: fc.constantFrom('0', '1'), minLength: dimensions, maxLength: dimensions });
  return fc.record({ query: signs, rows: fc.array(signs, { maxLength: 60 }) });
});
const bounds = fc
  .tuple(fc.integer({ min: 1, max: 20 }), fc.integer({ min: 1, max: 40 }), fc.integer({ min: 0, max: 40 }))
  .map(([wanted, least, more]) => ({ wanted, least, most: least + more }));

test('what is left out differs in no fewer signs than what is taken, and no fewer than it says', () => {
  fc.assert(
    fc.property(tables, bounds, ({ query, rows }, { wanted, least, most }) => {
      const table = readSignTable(pack(rows), query.length);
      const { places, mostSigns } = nearestBySigns(table, vectorOf(query), { wanted, least, most });
      const taken = places.map(({ page }) => page);
      expect(places.every(({ page, number }) => number === page + 1)).toBe(true);
      expect(new Set(taken).size).toBe(taken.length);
      expect(taken.length).toBeGreaterThanOrEqual(Math.min(least, rows.length));
      expect(taken.length).toBeLessThanOrEqual(most);
      const left = rows.flatMap((_, row) => (taken.includes(row) ? [] : [row]));
      expect(mostSigns === null).toBe(left.length === 0);
      const signsOf = (row: number) => differenceOf(rows[row] ?? '', query);
      expect(Math.max(-1, ...taken.map(signsOf))).toBeLessThanOrEqual(mostSigns ?? query.length);
      expect(Math.min(query.length, ...left.map(signsOf))).toBeGreaterThanOrEqual(mostSigns ?? 0);
    }),
  );
});

test('a circle as wide as the wanted ones make it, between the bounds', () => {
  // Of 100 signs 0, 1, 2 … 99 differ. The wanted 10th differs in 9, ± 2.9: up to 17 are likely.
  const rows = Array.from({ length: 100 }, (_, row) => '1'.repeat(row).padEnd(100, '0'));
  const table = readSignTable(pack(rows), 100);
  const nearest = (least: number, most: number) =>
    nearestBySigns(table, vectorOf('0'.repeat(100)), { wanted: 10, least, most });
  expect(nearest(1, 100)).toMatchObject({ mostSigns: 17 });
  expect(nearest(1, 100).places).toHaveLength(18);
  expect(nearest(30, 100).places).toHaveLength(30);
  expect(nearest(1, 12).places).toEqual(
    Array.from({ length: 12 }, (_, row) => ({ page: row, number: row + 1 })),
  );
  expect(nearest(100, 100)).toMatchObject({ mostSigns: null });
});

test('the signs of a query are those that pgvector finds: zero is not above zero', () => {
  const table = readSignTable(pack(['000', '110']), 3);
  expect(nearestBySigns(table, [1, 0.1, 0], { wanted: 1, least: 1, most: 1 }).places).toEqual([
    { page: 1, number: 2 },
  ]);
  expect(nearestBySigns(table, [-1, 0, 0], { wanted: 1, least: 1, most: 1 }).places).toEqual([
    { page: 0, number: 1 },
  ]);
});

test('signs of another length are refused', () => {
  expect(() => readSignTable(pack(['101']), 9)).toThrow(RangeError);
});

test('a table takes what its vectors take', () => {
  const table = readSignTable(pack(['1'.repeat(384), '0'.repeat(384)]), 384);
  expect(sizeOfTable(table)).toBe(2 * bytesOfVector(384));
});
