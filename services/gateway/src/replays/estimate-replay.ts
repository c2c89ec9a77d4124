import { type Config, costOf } from '@factmill/config';
import { type ReplayEstimate, RULES_MODEL } from '@factmill/contracts';
import type { ScopeCost } from '@factmill/database';

/** Of instructions and known memories, beside the messages. */
const TOKENS_PER_PROMPT = 800;
const TOKENS_PER_REPLY = 200;
/** What a model counts for one token of our estimate, which is by words. */
const MODEL_TOKENS = 2;

/**
 * What a replay will cost. Where a model was paid for the same extraction, its tokens then are the best guess; the rest is
 * estimated from the messages.
 */
export function estimateReplay(
  cost: ScopeCost,
  model: string | null,
  { extractor: { chatModel }, modelPrices }: Config,
): ReplayEstimate {
  const { extractions, users, messages } = cost;
  const asked = model ?? chatModel?.model ?? RULES_MODEL;
  const scope = { extractions, users, messages, model: asked };
  if (asked === RULES_MODEL) {
    return { ...scope, model_calls: 0, prompt_tokens: 0, completion_tokens: 0, cost: 0 };
  }
  const guessed = extractions - cost.measured;
  const input = Math.round(cost.promptTokens + guessed * TOKENS_PER_PROMPT + cost.tokens * MODEL_TOKENS);
  const output = Math.round(cost.completionTokens + guessed * TOKENS_PER_REPLY);
  return {
    ...scope,
    model_calls: extractions,
    prompt_tokens: input,
    completion_tokens: output,
    cost: costOf(modelPrices, asked, { input, output }),
  };
}
