/**
 * As many of the candidates, in their order, as fit into a number of tokens together. One that does not fit is left
 * out and a later, shorter one may still get in; null is no limit.
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
