import { z } from 'zod';

const price = z.number().min(0).max(1_000_000);

/** What a million tokens of a model cost. */
type ModelPrice = Readonly<{ input: number; output: number }>;
/** By the name of the model, or by the beginning of names with `*` at the end. */
export type ModelPrices = Readonly<Record<string, ModelPrice>>;

/** `{"gpt-5-mini": {"input": 0.25, "output": 2}, "text-embedding-*": {"input": 0.02}}`. */
export const modelPrices = z
  .string()
  .meta({ allowed: 'a JSON object' })
  .transform((text, context) => {
    try {
      return JSON.parse(text) as unknown;
    } catch {
      context.addIssue({ code: 'custom', message: 'must be a JSON object' });
      return z.NEVER;
    }
  })
  .pipe(
    z.record(z.string().min(1).max(256), z.strictObject({ input: price, output: price.default(0) }), {
      error: 'must be models with their prices, such as {"gpt-5-mini":{"input":0.25,"output":2}}',
    }),
  );

const A_MILLION = 1_000_000;

/** What a call costs; null for a model without a price. The longest name that fits counts. */
export function costOf(
  prices: ModelPrices,
  model: string,
  tokens: Readonly<{ input: number; output: number }>,
): number | null {
  const names = Object.keys(prices).filter((name) =>
    name.endsWith('*') ? model.startsWith(name.slice(0, -1)) : name === model,
  );
  const [best] = names.sort((left, right) => right.length - left.length);
  const found = best === undefined ? undefined : prices[best];
  if (found === undefined) return null;
  return (tokens.input * found.input + tokens.output * found.output) / A_MILLION;
}
