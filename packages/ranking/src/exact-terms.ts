import { paddedWords, wordsOf } from './words.ts';
import { STOPWORDS } from './stopwords.ts';

/** A number or an identifier says what is meant, twice as surely as a name. */
const OF_IDENTIFIER = 2;
const OF_NAME = 1;
/** A capital letter that begins no sentence. */
const NAME = /(?<=[\p{L}\p{N},;:’')\]] )\p{Lu}[\p{L}\p{M}\p{N}]+/gu;

/**
 * How much each text has of the numbers, identifiers and names of a query, 0 to 1, in the order of the texts: such a
 * word is meant exactly, and one that is only near is another thing. What many of the texts have counts less. A word
 * is a name when the query or one of the texts writes it with a capital letter inside of a sentence. Null for a query
 * without such words.
 */
export function exactShares(query: string, texts: readonly string[]): number[] | null {
  const terms = [
    ...new Set(wordsOf(query).flatMap(({ text, unspaced }) => (unspaced || STOPWORDS.has(text) ? [] : text))),
  ];
  const folded = texts.map(fold);
  const names = lazily(texts, namesOf);
  const words = lazily(texts, paddedWords);
  const namesOfQuery = namesOf(query);
  const isName = (term: string) =>
    namesOfQuery.has(term) || folded.some((text, at) => text.includes(term) && names(at)?.has(term));
  const meant = terms.flatMap((term): { term: string; weight: number }[] => {
    if (/\d/.test(term)) return [{ term, weight: OF_IDENTIFIER }];
    return isName(term) ? [{ term, weight: OF_NAME }] : [];
  });
  if (meant.length === 0) return null;
  const hasWord = (text: string, at: number, term: string) =>
    text.includes(term) && words(at)?.includes(` ${term} `) === true;
  const having = meant
    .map(({ term, weight }) => {
      const places = folded.flatMap((text, at) => (hasWord(text, at, term) ? [at] : []));
      const rarity =
        weight === OF_NAME
          ? rarityOfName(places.length, texts.length)
          : rarityOf(places.length, texts.length);
      return { weight, rarity, places };
    })
    .filter(({ places }) => places.length > 0);
  const total = Math.max(
    OF_IDENTIFIER,
    having.reduce((sum, { weight }) => sum + weight, 0),
  );
  const shares = texts.map(() => 0);
  for (const { weight, rarity, places } of having) {
    for (const at of places) shares[at] = (shares[at] ?? 0) + (weight * rarity) / total;
  }
  return shares;
}

/** What every word of the text is a part of: a quick answer where a text does not have a word. */
function fold(text: string): string {
  return text.normalize('NFC').toLowerCase().replaceAll('’', "'");
}

/** What is made of each text, when it is first asked for. */
function lazily<T>(texts: readonly string[], make: (text: string) => T): (at: number) => T | undefined {
  const made: T[] = [];
  return (at) => {
    const text = texts[at];
    return text === undefined ? undefined : (made[at] ??= make(text));
  };
}

function namesOf(text: string): ReadonlySet<string> {
  return new Set((text.match(NAME) ?? []).map((name) => name.toLowerCase()));
}

function rarityOf(having: number, all: number): number {
  return Math.log(1 + all / Math.max(1, having)) / Math.log(1 + all);
}

/** So much a name that half of the texts have is worth: it tells nothing apart, as the user's own. */
const OF_COMMON_NAME = 0.02;

/** The inverse document frequency of BM25, of which one text has 1. */
function rarityOfName(having: number, all: number): number {
  const idf = (count: number) => Math.log((all - count + 0.5) / (count + 0.5));
  return all < 3 ? rarityOf(having, all) : Math.max(OF_COMMON_NAME, idf(Math.max(1, having)) / idf(1));
}
