import { STOPWORDS } from './stopwords.ts';
import { wordsOf } from './words.ts';

/** More terms make the text search slower, not better: the longest ones say most. */
export const MAX_QUERY_TERMS = 12;

/**
 * The words of a query that are worth looking for, lower-case, each once, in the order of the query: without
 * English function and question words; runs of Chinese, Japanese or Korean as overlapping pairs of characters. Of more
 * than MAX_QUERY_TERMS the longest stay. Empty when nothing but function words was asked.
 */
export function queryTerms(query: string): string[] {
  const terms = new Set<string>();
  for (const { text } of wordsOf(query)) if (!STOPWORDS.has(text)) terms.add(text);
  const all = [...terms];
  if (all.length <= MAX_QUERY_TERMS) return all;
  const kept = new Set([...all].sort((a, b) => b.length - a.length).slice(0, MAX_QUERY_TERMS));
  return all.filter((term) => kept.has(term));
}

/** What is looked for as a whole: the query without the punctuation that ends a sentence. */
export function queryPhrase(query: string): string {
  const trimmed = query.trim();
  return trimmed.replace(/(?<![\s?!.。？！])[\s?!.。？！]+$/u, '') || trimmed;
}
