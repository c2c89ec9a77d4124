import type { Policy } from '@factmill/contracts';
import type { MemoryNumbers } from '@factmill/search';

/** The numbers of a conversation's policy, else those of the settings. */
export function numbersOf(policy: Policy, settings: MemoryNumbers): MemoryNumbers {
  return {
    topK: policy.top_k ?? settings.topK,
    recencyWeight: policy.recency_weight ?? settings.recencyWeight,
    scoreThreshold: policy.score_threshold ?? settings.scoreThreshold,
    mmrLambda: policy.mmr_lambda ?? settings.mmrLambda,
  };
}
