/**
 * The candidates, in order, that fit into a token budget together. One that exceeds it is skipped, and a later,
 * shorter one may still fit; null is no limit.
 */
export function withinTokenBudget<Candidate>(
  candidates: readonly Candidate[],
  budget: number | null,
  tokensOf: (candidate: Candidate) => number,
): Candidate[] {
  if (budget === null) return [...candidates];
  let left = budget;
  return candidates.filter((candidate) => {
    const tokens = tokensOf(candidate);
    if (tokens > left) return false;
    left -= tokens;
    return true;
  });
}
