import { expect, test } from '@jest/globals';
import { poolText } from './pool.ts';

/** Two texts of three tokens in two dimensions; the last token of the second text is padding. */
const run = {
  values: Float32Array.of(1, 2, 3, 4, 5, 9, 10, 20, 30, 10, 99, 99),
  tokens: 3,
  dimensions: 2,
};

test.each([
  ['mean', [3, 5], [20, 15]],
  ['cls', [1, 2], [10, 20]],
  ['max', [5, 9], [30, 20]],
  ['lasttoken', [5, 9], [30, 10]],
] as const)('%s reads no padding', (pooling, first, second) => {
  const target = new Float32Array(2);
  poolText(run, 0, 3, pooling, target);
  expect([...target]).toEqual(first);
  poolText(run, 1, 2, pooling, target);
  expect([...target]).toEqual(second);
});
