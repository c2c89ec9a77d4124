const words = new Intl.Segmenter(undefined, { granularity: 'word' });

/** Only this many characters of a word are compared, because endings differ between phrasings. */
const STEM_CHARACTERS = 5;

/** Content words: at least three letters, or digits, or a word of a script with few characters per word. */
const CARRYING =
  /^[\p{L}\p{M}]{3,}$|\p{N}|^[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}]+$/u;

function stemsOf(text: string): Set<string> {
  const folded = text.normalize('NFKC').toLowerCase();
  return new Set(
    Array.from(words.segment(folded))
      .filter(({ isWordLike, segment }) => isWordLike === true && CARRYING.test(segment))
      .map(({ segment }) => segment.slice(0, STEM_CHARACTERS)),
  );
}

/** The share of words of `text` that occur in `within`, 0 to 1. 1 for a text without words. */
export function wordCoverage(text: string, within: string): number {
  const wanted = stemsOf(text);
  if (wanted.size === 0) return 1;
  const there = stemsOf(within);
  let found = 0;
  for (const stem of wanted) if (there.has(stem)) found += 1;
  return found / wanted.size;
}

/**
 * Below this share a statement has too little in common with its sources: it was invented, or it followed an
 * instruction in the text. A paraphrase keeps at least the names and things.
 */
export const MIN_COVERAGE = 1 / 3;
