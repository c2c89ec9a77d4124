/**
 * Groups inputs into runs, so that one run has at most `maxTokens` tokens after padding, or one input. Inputs of
 * similar length go together, because padding costs as much as text.
 *
 * @param lengths tokens of each input
 * @returns positions in `lengths`, each in one group
 */
export function planBatches(lengths: readonly number[], maxTokens: number): number[][] {
  const byLength = lengths
    .map((length, position) => ({ length, position }))
    .toSorted((left, right) => left.length - right.length);
  const batches: number[][] = [];
  let batch: number[] = [];
  for (const { length, position } of byLength) {
    // In this order each input is the longest so far, so it sets the padded length.
    if (batch.length > 0 && (batch.length + 1) * length > maxTokens) {
      batches.push(batch);
      batch = [];
    }
    batch.push(position);
  }
  if (batch.length > 0) batches.push(batch);
  return batches;
}
