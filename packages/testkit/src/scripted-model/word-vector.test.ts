import { describe, expect, test } from '@jest/globals';
import { toWordVector } from './word-vector.ts';

const similarity = (a: string, b: string): number => {
  const other = toWordVector(b, 384);
  return toWordVector(a, 384).reduce((sum, value, index) => sum + value * (other[index] ?? 0), 0);
};

describe('toWordVector', () => {
  test('has length 1 in any size, also for no words', () => {
    for (const size of [1, 255, 257, 1536])
      expect(Math.hypot(...toWordVector('one two', size))).toBeCloseTo(1, 9);
    expect(Math.hypot(...toWordVector('?!', 64))).toBeCloseTo(1, 9);
  });

  test('depends on the words alone', () => {
    expect(similarity('the tea is green', 'GREEN is the tea!')).toBeCloseTo(1, 9);
    expect(similarity('the tea is green', 'the tea is black')).toBeGreaterThan(0.5);
    expect(Math.abs(similarity('tea green', 'rowing boat'))).toBeLessThan(0.25);
  });
});
