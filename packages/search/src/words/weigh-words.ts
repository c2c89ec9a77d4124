/** BM25's usual constants. How often a memory repeats a word is left out: memories are a sentence or two. */
export const SATURATION = 1.2;
export const LENGTH = 0.5;

/** Best first, then in the order of ids. */
export function byScore(
  a: Readonly<{ id: string; wordScore: number }>,
  b: Readonly<{ id: string; wordScore: number }>,
): number {
  return b.wordScore - a.wordScore || (a.id < b.id ? -1 : 1);
}

/** The score of a text that is so long and has the words whose bits are set, the first one in the lowest. */
export type ScoreOf = (words: number, length: number) => number;

/**
 * BM25 over the texts that have at least one of the words.
 *
 * @param frequencies how many of them have each word
 * @param found how many they are
 * @param sumOfLengths how long they are together
 */
export function weighWords(frequencies: readonly number[], found: number, sumOfLengths: number): ScoreOf {
  const weights = frequencies.map((count) => Math.log(1 + (found - count + 0.5) / (count + 0.5)));
  const averageLength = Math.max(1, sumOfLengths / Math.max(1, found));
  // There are few combinations of words, each in many texts.
  const sums = new Map<number, number>();
  const sumOf = (words: number) => {
    let sum = sums.get(words);
    if (sum === undefined) {
      sum = weights.reduce((before, weight, word) => before + ((words >>> word) & 1 ? weight : 0), 0);
      sums.set(words, sum);
    }
    return sum;
  };
  return (words, length) => sumOf(words) / (1 - LENGTH + 1 / SATURATION + (LENGTH * length) / averageLength);
}
