import { describe, expect, test } from '@jest/globals';
import { toUnitVector } from './unit-vector.ts';

describe('toUnitVector', () => {
  test.each([[[3, 4]], [[1e200, -1e200]], [[1e-200, 2e-200, 0]], [[-5]], [[0.1, 0.2, 0.3]]])(
    '%j gets length 1 and keeps its direction',
    (values) => {
      const unit = toUnitVector(values);
      expect(Math.hypot(...unit)).toBeCloseTo(1, 6);
      expect([...unit].map(Math.sign)).toEqual(values.map(Math.sign));
    },
  );

  test('zeros stay zeros', () => {
    expect([...toUnitVector([0, 0])]).toEqual([0, 0]);
  });
});
