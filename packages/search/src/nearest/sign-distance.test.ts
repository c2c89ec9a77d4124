import { expect, test } from '@jest/globals';
import { tellsNearest } from './sign-distance.ts';

test('a vector as near as the wanted ones would have had fewer different signs', () => {
  // 60°: a third of the signs, ± 2.4 points.
  expect(tellsNearest(0.4 * 384, 0.5, 384)).toBe(true);
  expect(tellsNearest(0.36 * 384, 0.5, 384)).toBe(true);
  expect(tellsNearest(0.35 * 384, 0.5, 384)).toBe(false);
  expect(tellsNearest(0.2 * 384, 0.5, 384)).toBe(false);
});

test('more components tell more', () => {
  expect(tellsNearest(0.35 * 128, 0.5, 128)).toBe(false);
  expect(tellsNearest(0.35 * 3_072, 0.5, 3_072)).toBe(true);
});

test('where everything is wanted, nothing is told', () => {
  expect(tellsNearest(384, -1, 384)).toBe(true);
  expect(tellsNearest(383, -1, 384)).toBe(false);
  expect(tellsNearest(0, 1.000_001, 384)).toBe(true);
});
