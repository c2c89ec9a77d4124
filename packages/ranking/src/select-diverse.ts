/** Cosine similarity of two candidates by id; undefined when one of them has no vector. */
export type SimilarityOf = (left: string, right: string) => number | undefined;

/**
 * Maximal marginal relevance: picks up to `limit` candidates one by one, each with the highest `lambda * score - (1
 * - lambda) * similarity to the most similar one picked before`. A candidate without a vector counts as similar to
 * none. With lambda 1 it is the order of scores. Ties keep their order.
 */
export function selectDiverse<Candidate extends Readonly<{ id: string; score: number }>>(
  candidates: readonly Candidate[],
  options: Readonly<{ lambda: number; limit: number; similarityOf: SimilarityOf }>,
): (Candidate & { mmr: number })[] {
  const { lambda, limit, similarityOf } = options;
  const left = candidates.map((candidate) => ({ candidate, redundancy: 0 }));
  const picked: (Candidate & { mmr: number })[] = [];
  while (left.length > 0 && picked.length < limit) {
    let best = 0;
    let bestValue = -Infinity;
    for (const [index, { candidate, redundancy }] of left.entries()) {
      const value = lambda * candidate.score - (1 - lambda) * redundancy;
      if (value > bestValue) [best, bestValue] = [index, value];
    }
    const [taken] = left.splice(best, 1);
    if (taken === undefined) break;
    picked.push({ ...taken.candidate, mmr: bestValue });
    for (const other of left) {
      const similarity = similarityOf(taken.candidate.id, other.candidate.id) ?? 0;
      other.redundancy = Math.max(other.redundancy, similarity);
    }
  }
  return picked;
}
