import { createTrigramFinder } from './find-trigrams.ts';
import { STOPWORDS } from './stopwords.ts';
import { wordsOf } from './words.ts';

/**
 * Trigram similarity of each text to the query: the share of the query's trigrams that the text contains, where
 * trigrams of few texts count more. A trigram is three characters of a word, its ends included, or a pair of
 * Chinese, Japanese or Korean characters. 0 to 1, in the order of the texts. Unlike full text it credits related
 * forms of a word (`paint`, `painter`), and it compares only candidates of other channels.
 */
export function trigramSimilarities(query: string, texts: readonly string[]): number[] {
  const trigrams = [...trigramsOf(query)];
  const havingOf = trigrams.map((): number[] => []);
  const find = createTrigramFinder(trigrams);
  for (const [index, text] of texts.entries()) {
    find(text, (place) => {
      const having = havingOf[place];
      if (having !== undefined && having.at(-1) !== index) having.push(index);
    });
  }
  const scores = texts.map(() => 0);
  let total = 0;
  for (const having of havingOf) {
    const weight = Math.log(1 + texts.length / Math.max(1, having.length));
    total += weight;
    for (const index of having) scores[index] = (scores[index] ?? 0) + weight;
  }
  return total === 0 ? scores : scores.map((score) => score / total);
}

/** The query's trigrams, each once. */
function trigramsOf(query: string): Set<string> {
  const trigrams = new Set<string>();
  for (const { text, unspaced } of wordsOf(query)) {
    if (STOPWORDS.has(text)) continue;
    if (unspaced) {
      trigrams.add(`｜${text}｜`);
      continue;
    }
    const padded = `  ${text} `;
    // A surrogate half makes a trigram like any other character: texts and queries are cut alike.
    for (let at = 0; at + 3 <= padded.length; at += 1) trigrams.add(padded.slice(at, at + 3));
  }
  return trigrams;
}
