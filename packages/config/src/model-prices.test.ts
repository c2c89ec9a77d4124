import { expect, test } from '@jest/globals';
import { costOf, modelPrices } from './model-prices.ts';

const prices = modelPrices.parse(
  '{"gpt-5-mini": {"input": 0.25, "output": 2}, "gpt-5*": {"input": 1}, "gpt-5-mini-2*": {"input": 4, "output": 4}}',
);

test.each([
  ['gpt-5-mini', 0.25 + 4],
  ['gpt-5-mini-2025-08-07', 12],
  ['gpt-5', 1],
  ['other', null],
])('a million tokens in and two million out of %s', (model, cost) => {
  expect(costOf(prices, model, { input: 1_000_000, output: 2_000_000 })).toBe(cost);
});

test.each(['[]', '{', '1', '{"m": {}}', '{"m": {"input": -1}}', '{"m": {"input": 1, "cached": 1}}'])(
  'refuses %s',
  (text) => {
    expect(modelPrices.safeParse(text).success).toBe(false);
  },
);
