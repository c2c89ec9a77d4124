import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { containing } from './containing.ts';

/** What a pattern without wildcards inside looks for. */
const literalOf = (pattern: string) => pattern.slice(1, -1).replace(/\\(.)/gs, '$1');

/** Comparisons of a search that begins anew at every place. */
function comparisons(pattern: string, text: string): number {
  let count = 0;
  for (let start = 0; start < text.length; start += 1) {
    let length = 0;
    while (length < pattern.length && text[start + length] === pattern[length]) length += 1;
    count += Math.min(length + 1, pattern.length);
  }
  return count;
}

describe('containing', () => {
  test.each([
    ['tea', '%tea%'],
    ['100%', String.raw`%100\%%`],
    [String.raw`a_b\c`, String.raw`%a\_b\\c%`],
    ['Hahaha, she said', '%Hahaha, she said%'],
    ['', '%%'],
  ])('%s', (text, pattern) => {
    expect(containing(text)).toBe(pattern);
  });

  test.each([
    ['a'.repeat(4_000), 'a'.repeat(8)],
    [`${'a'.repeat(3_999)}b`, 'a'.repeat(8)],
    ['aA'.repeat(2_000), 'aAaAaAaA'],
    ['tea '.repeat(1_000), 'tea '.repeat(8)],
    ['😀'.repeat(100), '😀'.repeat(8)],
  ])('what repeats itself is cut (case %#)', (text, literal) => {
    expect(literalOf(containing(text))).toBe(literal);
  });

  test('finds what contains the text, and costs a bounded number of comparisons for each place', () => {
    const few = fc.string({ unit: fc.constantFrom('a', 'A', 'b', '%', '\\'), maxLength: 200 });
    fc.assert(
      fc.property(few, few, fc.integer({ min: 1, max: 40 }), (text, around, times) => {
        const asked = text.repeat(times).slice(0, 500);
        const literal = literalOf(containing(asked));
        expect(asked.startsWith(literal)).toBe(true);
        const hostile = (asked + around).repeat(4).toLowerCase();
        const most = 8 * (1 + Math.log(literal.length + 1)) + 1;
        expect(comparisons(literal.toLowerCase(), hostile)).toBeLessThanOrEqual(
          hostile.length * most + literal.length ** 2,
        );
      }),
    );
  });
});
