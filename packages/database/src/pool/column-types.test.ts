import { expect, test } from '@jest/globals';
import { parseInt8 } from './column-types.ts';

test('an int8 is a number as long as a number can hold it', () => {
  expect(parseInt8('-42')).toBe(-42);
  expect(parseInt8('9007199254740991')).toBe(Number.MAX_SAFE_INTEGER);
  expect(parseInt8('9007199254740993')).toBe(9_007_199_254_740_993n);
});
