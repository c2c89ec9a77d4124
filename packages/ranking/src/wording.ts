import { STOPWORDS } from './stopwords.ts';
import { paddedWords, wordsOf } from './words.ts';

/**
 * How much of the query's wording each text has: the share of the query's trigrams (three characters of a word,
 * its ends included; pairs of characters in Chinese, Japanese and Korean) that the text has, those that few of the
 * texts have counting more. 0 to 1, in the order of the texts. Unlike full text it also credits related forms of a
 * word (`paint`, `painter`), and compares only what other channels found.
 */
export function wordingScores(query: string, texts: readonly string[]): number[] {
  const scores = texts.map(() => 0);
  let total = 0;
  const findAll = finder(texts.map(paddedWords));
  for (const trigram of trigramsOf(query)) {
    const having = findAll(trigram);
    const weight = Math.log(1 + texts.length / Math.max(1, having.length));
    total += weight;
    for (const index of having) scores[index] = (scores[index] ?? 0) + weight;
  }
  return total === 0 ? scores : scores.map((score) => score / total);
}

/** Which of the texts have a part. Looking through one long text takes half the time of looking into each. */
function finder(texts: readonly string[]): (part: string) => number[] {
  const all = texts.join('');
  let end = 0;
  const ends = texts.map((text) => (end += text.length));
  return (part) => {
    const having: number[] = [];
    let index = 0;
    for (let at = all.indexOf(part); at >= 0; at = all.indexOf(part, ends[index])) {
      while ((ends[index] ?? Infinity) <= at) index += 1;
      having.push(index);
    }
    return having;
  };
}

/** The query's trigrams as `paddedWords` has them, each once. */
function trigramsOf(query: string): Set<string> {
  const trigrams = new Set<string>();
  for (const { text, unspaced } of wordsOf(query)) {
    if (STOPWORDS.has(text)) continue;
    if (unspaced) {
      trigrams.add(`\n${text}\n`);
      continue;
    }
    const padded = ` ${text} `;
    trigrams.add(padded.slice(0, 2));
    // Half of a character outside of the basic plane makes a trigram like any other: texts and queries are cut alike.
    for (let at = 0; at + 3 <= padded.length; at += 1) trigrams.add(padded.slice(at, at + 3));
  }
  return trigrams;
}
