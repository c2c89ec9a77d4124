/**
 * What a reranker answered as relevance between 0 and 1. Cross-encoders give unbounded scores, to which the sigmoid
 * belongs (E5); hosted models have applied it already. One score outside 0 to 1 tells which it is.
 */
export function toRelevances(scores: readonly number[]): number[] {
  const raw = scores.some((score) => score < 0 || score > 1);
  return raw ? scores.map(sigmoid) : [...scores];
}

function sigmoid(value: number): number {
  return 1 / (1 + Math.exp(-value));
}
