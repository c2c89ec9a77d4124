/** BM25's usual constants. How often a memory repeats a term is left out: memories are a sentence or two. */
export const K1 = 1.2;
export const B = 0.5;

/** The score of a text of a length that has the terms whose bits are set; the first term has the lowest bit. */
export type ScoreOf = (terms: number, length: number) => number;

/**
 * BM25 over the texts that have at least one of the terms.
 *
 * @param documentFrequencies how many of these texts have each term
 * @param count how many texts there are
 * @param totalLength of all of them together
 */
export function createBm25(
  documentFrequencies: readonly number[],
  count: number,
  totalLength: number,
): ScoreOf {
  const weights = documentFrequencies.map((df) => Math.log(1 + (count - df + 0.5) / (df + 0.5)));
  const averageLength = Math.max(1, totalLength / Math.max(1, count));
  // There are few combinations of terms, each in many texts.
  const sums = new Map<number, number>();
  const sumOf = (terms: number) => {
    let sum = sums.get(terms);
    if (sum === undefined) {
      sum = weights.reduce((before, weight, term) => before + ((terms >>> term) & 1 ? weight : 0), 0);
      sums.set(terms, sum);
    }
    return sum;
  };
  return (terms, length) => sumOf(terms) / (1 - B + 1 / K1 + (B * length) / averageLength);
}
