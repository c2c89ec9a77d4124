import { modelPrices } from '../model-prices.ts';

export const usage = {
  MODEL_PRICES: modelPrices.optional().meta({
    description:
      'What a million tokens of each model cost, in a currency of your choice, for `GET /v1/usage` and budgets in cost: `{"gpt-5-mini":{"input":0.25,"output":2},"text-embedding-*":{"input":0.02}}`. `*` at the end of a name stands for any rest. The same for all services.',
    unset: 'tokens are counted, costs are not',
  }),
};
