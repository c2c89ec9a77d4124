import { STOPWORDS } from './stopwords.ts';
import { wordsOf } from './words.ts';

/**
 * How much of the query's wording each text has: the share of the query's trigrams (three characters of a word,
 * its ends included; pairs of characters in Chinese, Japanese and Korean) that the text has, those that few of the texts have counting more. 0 to 1, in the order
 * of the texts. Unlike full text it also credits related forms of a word (`paint`, `painter`), and compares only
 * what other channels found.
 */
export function wordingScores(query: string, texts: readonly string[]): number[] {
  const wanted = trigramsOf(query, STOPWORDS);
  const found = texts.map((text) => trigramsOf(text));
  const weights = new Map<string, number>();
  let total = 0;
  for (const trigram of wanted) {
    const frequency = found.reduce((count, trigrams) => count + (trigrams.has(trigram) ? 1 : 0), 0);
    const weight = Math.log(1 + texts.length / Math.max(1, frequency));
    weights.set(trigram, weight);
    total += weight;
  }
  if (total === 0) return texts.map(() => 0);
  return found.map((trigrams) => {
    let score = 0;
    for (const [trigram, weight] of weights) if (trigrams.has(trigram)) score += weight;
    return score / total;
  });
}

const NONE: ReadonlySet<string> = new Set();

function trigramsOf(text: string, without: ReadonlySet<string> = NONE): Set<string> {
  const trigrams = new Set<string>();
  for (const word of wordsOf(text)) {
    if (without.has(word.text)) continue;
    if (word.unspaced) {
      trigrams.add(word.text);
      continue;
    }
    const padded = `  ${word.text} `;
    // Half of a character outside of the basic plane makes a trigram like any other: texts and queries are cut alike.
    for (let at = 0; at + 3 <= padded.length; at += 1) trigrams.add(padded.slice(at, at + 3));
  }
  return trigrams;
}
