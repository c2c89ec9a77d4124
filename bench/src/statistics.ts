/** The middle value (the mean of the two middle ones). NaN for nothing. */
export function median(values: readonly number[]): number {
  const sorted = values.toSorted((left, right) => left - right);
  const middle = sorted.length / 2;
  return sorted.length % 2 === 1
    ? (sorted[Math.floor(middle)] ?? Number.NaN)
    : ((sorted[middle - 1] ?? Number.NaN) + (sorted[middle] ?? Number.NaN)) / 2;
}

/** The smallest value that at least `percent` of the values do not exceed (nearest rank). NaN for nothing. */
export function percentile(values: readonly number[], percent: number): number {
  const sorted = values.toSorted((left, right) => left - right);
  return sorted[Math.max(0, Math.ceil((percent / 100) * sorted.length) - 1)] ?? Number.NaN;
}

/**
 * Runs A B A B …, so that conditions of the machine (clock, disk, neighbours) affect both alike. Ratios are taken
 * within a round, of values a few seconds apart.
 */
export async function runInterleaved<T>(
  rounds: number,
  ours: () => Promise<T>,
  baseline: () => Promise<T>,
): Promise<{ ours: T[]; baseline: T[] }> {
  const results: { ours: T[]; baseline: T[] } = { ours: [], baseline: [] };
  for (let round = 0; round < rounds; round += 1) {
    results.ours.push(await ours());
    results.baseline.push(await baseline());
  }
  return results;
}

/** Median over the rounds of ours ÷ baseline. */
export function medianRatio(ours: readonly number[], baseline: readonly number[]): number {
  return median(ours.map((value, round) => value / (baseline[round] ?? Number.NaN)));
}
