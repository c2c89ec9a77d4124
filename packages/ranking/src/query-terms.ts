import { STOPWORDS } from './stopwords.ts';

/** More terms make the text search slower, not better: the longest ones say most. */
export const MAX_QUERY_TERMS = 12;

/** Words with inner apostrophes; letters carry their combining marks. */
const WORD = /[\p{L}\p{N}][\p{L}\p{N}\p{M}]*(?:['’][\p{L}\p{M}]+)*/gu;
/** Scripts that put no spaces between words. */
const UNSPACED_RUN = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}ー]+/gu;

/**
 * The words of a query that are worth looking for, lower-case, each once, in the order of the query: without
 * English function and question words; runs of Chinese or Japanese as overlapping pairs of characters. Of more
 * than MAX_QUERY_TERMS the longest stay. Empty when nothing but function words was asked.
 */
export function queryTerms(query: string): string[] {
  const terms = new Set<string>();
  // Composed form, as texts are usually stored.
  for (const [word] of query.normalize('NFC').toLowerCase().matchAll(WORD)) {
    for (const term of splitScripts(word)) if (!STOPWORDS.has(term)) terms.add(term);
  }
  const all = [...terms];
  if (all.length <= MAX_QUERY_TERMS) return all;
  const kept = new Set([...all].sort((a, b) => b.length - a.length).slice(0, MAX_QUERY_TERMS));
  return all.filter((term) => kept.has(term));
}

/** What is looked for as a whole: the query without the punctuation that ends a sentence. */
export function queryPhrase(query: string): string {
  const trimmed = query.trim();
  return trimmed.replace(/[\s?!.。？！]+$/u, '') || trimmed;
}

/** A word as terms: unspaced runs in pairs, what stands between them whole. */
function splitScripts(word: string): string[] {
  const terms: string[] = [];
  let end = 0;
  for (const run of word.matchAll(UNSPACED_RUN)) {
    terms.push(stemPossessive(word.slice(end, run.index)), ...characterPairs(run[0]));
    end = run.index + run[0].length;
  }
  terms.push(stemPossessive(word.slice(end)));
  return terms.filter((term) => term !== '');
}

/** `anna's` is looked for as `anna`; other apostrophes stay, as in `o'brien`. */
function stemPossessive(word: string): string {
  return word.replaceAll('’', "'").replace(/'s$/, '');
}

function characterPairs(run: string): string[] {
  const characters = [...run];
  if (characters.length <= 2) return [run];
  return characters.slice(1).map((character, index) => `${characters[index] ?? ''}${character}`);
}
