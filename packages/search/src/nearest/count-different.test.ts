import { expect, test } from '@jest/globals';
import fc from 'fast-check';
import { countByTable, countDifferent, createCountInLanes, LANE_BYTES } from './count-different.ts';

/** In the simplest way there is. */
function countOnes(code: Uint8Array, query: Uint8Array): number {
  return [...code].reduce(
    (sum, byte, at) => sum + (byte ^ (query[at] ?? 0)).toString(2).replaceAll('0', '').length,
    0,
  );
}

test('with and without vector instructions, the different bits of each code are counted', () => {
  fc.assert(
    fc.property(
      fc.integer({ min: 1, max: 12 }).chain((lanes) => {
        const code = fc.uint8Array({ minLength: lanes * LANE_BYTES, maxLength: lanes * LANE_BYTES });
        return fc.tuple(code, fc.array(code, { maxLength: 20 }));
      }),
      ([query, all]) => {
        const codes = { codes: Uint8Array.from(all.flatMap((code) => [...code])), bytesOfCode: query.length };
        const expected = all.map((code) => countOnes(code, query));
        expect([...countDifferent(codes, query)]).toEqual(expected);
        expect([...countByTable(codes, query)]).toEqual(expected);
      },
    ),
  );
});

test('there are vector instructions', () => {
  expect(createCountInLanes()).not.toBeNull();
});

test('more is compared than there was memory for', () => {
  const bytesOfCode = 1_600;
  const codes = new Uint8Array(bytesOfCode * 100).fill(0xff);
  codes.fill(0, bytesOfCode * 99);
  const counts = [...countDifferent({ codes, bytesOfCode }, new Uint8Array(bytesOfCode))];
  expect(counts).toEqual([...Array.from({ length: 99 }, () => bytesOfCode * 8), 0]);
});

test('codes that were compared before are compared with another query, and others after them', () => {
  const codesOf = (byte: number) => ({
    codes: new Uint8Array(2 * LANE_BYTES).fill(byte),
    bytesOfCode: LANE_BYTES,
  });
  const [zeros, ones] = [codesOf(0), codesOf(0xff)];
  const query = new Uint8Array(LANE_BYTES);
  expect([...countDifferent(zeros, query)]).toEqual([0, 0]);
  expect([
    ...countDifferent(
      zeros,
      query.map(() => 1),
    ),
  ]).toEqual([16, 16]);
  expect([...countDifferent(ones, query)]).toEqual([128, 128]);
  expect([...countDifferent(zeros, query)]).toEqual([0, 0]);
});
