import { STOPWORDS } from './stopwords.ts';
import { wordsOf } from './words.ts';

/** As many as the first stage of a search tells apart. A question of two sentences in Chinese has 30 pairs. */
export const MAX_QUERY_TERMS = 30;
/** Of a longer query the rarest are chosen from so many. */
export const MAX_COUNTED_TERMS = 120;

/**
 * The content words of a query, lower case, each once, in order: without English function and question words;
 * Chinese, Japanese or Korean as overlapping pairs of characters. Beyond `most` the longest stay. Empty for a query of
 * function words only.
 */
export function queryTerms(query: string, most: number = MAX_QUERY_TERMS): string[] {
  const terms = new Set<string>();
  for (const { text } of wordsOf(query)) if (!STOPWORDS.has(text)) terms.add(text);
  const all = [...terms];
  if (all.length <= most) return all;
  const kept = new Set([...all].sort((a, b) => b.length - a.length).slice(0, most));
  return all.filter((term) => kept.has(term));
}

/** The query as one phrase, without the punctuation at its end. */
export function queryPhrase(query: string): string {
  const trimmed = query.trim();
  return trimmed.replace(/(?<![\s?!.。？！])[\s?!.。？！]+$/u, '') || trimmed;
}
