import { expect, test } from '@jest/globals';
import fc from 'fast-check';
import { hammingDistances, numbersOfCode, toBitCode } from './hamming.ts';

/** In the simplest way there is. */
function countOnes(code: Uint32Array, query: Uint32Array): number {
  return [...code].reduce(
    (sum, number, at) => sum + ((number ^ (query[at] ?? 0)) >>> 0).toString(2).replaceAll('0', '').length,
    0,
  );
}

test('the different bits of each code are counted', () => {
  fc.assert(
    fc.property(
      fc.integer({ min: 1, max: 48 }).chain((length) => {
        const code = fc.uint32Array({ minLength: length, maxLength: length });
        return fc.tuple(code, fc.array(code, { maxLength: 20 }));
      }),
      ([query, all]) => {
        const numbers = Uint32Array.from(all.flatMap((code) => [...code]));
        const codes = { size: all.length, dimensions: 32 * query.length, numbers };
        expect([...hammingDistances(codes, query)]).toEqual(all.map((code) => countOnes(code, query)));
      },
    ),
  );
});

test('all bits and none', () => {
  const codes = { size: 2, dimensions: 12_800, numbers: new Uint32Array(800).fill(0xffff_ffff, 400) };
  expect([...hammingDistances(codes, new Uint32Array(400))]).toEqual([0, 12_800]);
});

test('a code has the bits of binary_quantize: zero is not above zero', () => {
  expect([...new Uint8Array(toBitCode([1, 0.1, 0, -1, 0, 0, 0, 2, 3]).buffer)]).toEqual([0xc1, 0x80, 0, 0]);
  expect(numbersOfCode(33)).toBe(2);
});
