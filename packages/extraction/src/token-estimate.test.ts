import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { estimateTokens } from './token-estimate.ts';

describe('estimateTokens', () => {
  test.each([
    ['', 0],
    ['   \n', 0],
    ['hello', 1],
    ['four words of text', 3],
    ['你好世界', 6],
    ['I like 茶 a lot', 5],
    ['日本語のテキスト', 12],
  ])('%j is %d', (text, tokens) => {
    expect(estimateTokens(text)).toBe(tokens);
  });

  test('grows with the text and never fails', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), fc.string({ unit: 'binary' }), (left, right) => {
        expect(estimateTokens(`${left} ${right}`)).toBeGreaterThanOrEqual(estimateTokens(left));
      }),
    );
  });
});
