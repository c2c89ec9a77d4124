/**
 * A reranker's scores as relevance between 0 and 1. Cross-encoders return unbounded scores, which need the sigmoid
 * (E5); hosted models have applied it already. One score outside 0 to 1 shows which kind it is.
 */
export function toRelevances(scores: readonly number[]): number[] {
  const raw = scores.some((score) => score < 0 || score > 1);
  return raw ? scores.map(sigmoid) : [...scores];
}

function sigmoid(value: number): number {
  return 1 / (1 + Math.exp(-value));
}
