/**
 * What the scores of a reranker are: `logits` of a cross-encoder, or `unknown` for an endpoint, which does not say.
 */
export type ScoreScale = 'logits' | 'unknown';

/**
 * A reranker's scores as relevance between 0 and 1. Logits always pass the sigmoid (E5). Of an endpoint, hosted models
 * have applied it already and servers of raw models have not: one score outside 0 to 1 shows which kind it is.
 */
export function toRelevances(scores: readonly number[], scale: ScoreScale = 'unknown'): number[] {
  const raw = scale === 'logits' || scores.some((score) => score < 0 || score > 1);
  return raw ? scores.map(sigmoid) : [...scores];
}

function sigmoid(value: number): number {
  return 1 / (1 + Math.exp(-value));
}
