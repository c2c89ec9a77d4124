const DAY_MS = 86_400_000;

/** Days in which the recency of source E falls to 1/e. */
const RECENCY_DAYS = 30;

/** exp(-age in days / 30): source E's recency (E5), 1 when new. A date in the future counts as new. */
export function recencyOf(ageMs: number): number {
  return Math.exp(-Math.max(0, ageMs) / DAY_MS / RECENCY_DAYS);
}

/** `(1 - weight) * relevance + weight * recency` (E5); all of them 0 to 1. */
export function blendRecency(relevance: number, recency: number, weight: number): number {
  return (1 - weight) * relevance + weight * recency;
}
