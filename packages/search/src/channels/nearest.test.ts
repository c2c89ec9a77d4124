import { expect, test } from '@jest/globals';
import { isBeyond } from './nearest.ts';

test('a vector as near as the wanted ones would have had a smaller Hamming distance', () => {
  // 60°: a third of the bits, ± 2.4 points.
  expect(isBeyond(0.4 * 384, 0.5, 384)).toBe(true);
  expect(isBeyond(0.36 * 384, 0.5, 384)).toBe(true);
  expect(isBeyond(0.35 * 384, 0.5, 384)).toBe(false);
  expect(isBeyond(0.2 * 384, 0.5, 384)).toBe(false);
});

test('more components tell more', () => {
  expect(isBeyond(0.35 * 128, 0.5, 128)).toBe(false);
  expect(isBeyond(0.35 * 3_072, 0.5, 3_072)).toBe(true);
});

test('nothing is beyond the farthest', () => {
  expect(isBeyond(384, -1, 384)).toBe(true);
  expect(isBeyond(383, -1, 384)).toBe(false);
  expect(isBeyond(0, 1.000_001, 384)).toBe(true);
});
