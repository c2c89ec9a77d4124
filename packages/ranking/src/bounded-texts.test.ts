import { expect, test } from '@jest/globals';
import fc from 'fast-check';
import { boundedTexts } from './bounded-texts.ts';

test('texts stay as they are while they are not too long together', () => {
  const texts = ['x'.repeat(150_000), 'y'.repeat(50_000)];
  expect(boundedTexts(texts)).toBe(texts);
});

test('long ones are cut alike, and short ones are not', () => {
  const texts = ['x'.repeat(400_000), 'tea', 'y'.repeat(300_000), 'z'.repeat(1_000)];
  expect(boundedTexts(texts).map(({ length }) => length)).toEqual([99_499, 3, 99_498, 1_000]);
});

test('whatever the texts: the beginnings of them, in their order, no more than the bound, and nothing left unused', () => {
  const lengths = fc.array(fc.nat(9_000), { maxLength: 100 });
  fc.assert(
    fc.property(lengths, (all) => {
      const texts = all.map((length, at) => String.fromCharCode(97 + (at % 26)).repeat(length));
      const bounded = boundedTexts(texts);
      const total = bounded.reduce((sum, { length }) => sum + length, 0);
      expect(bounded.every((text, at) => texts[at]?.startsWith(text))).toBe(true);
      expect(total).toBe(Math.min(200_000, texts.join('').length));
    }),
  );
});
