const words = new Intl.Segmenter(undefined, { granularity: 'word' });

/** So much of a word counts: endings differ between two ways of saying a thing. */
const STEM_CHARACTERS = 5;

/** Words that carry something: at least three letters, or digits, or a word of a script that writes few characters. */
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

/** The share of the words of `text` that occur in `within`, 0 to 1. A text without words is covered by anything. */
export function wordCoverage(text: string, within: string): number {
  const wanted = stemsOf(text);
  if (wanted.size === 0) return 1;
  const there = stemsOf(within);
  let found = 0;
  for (const stem of wanted) if (there.has(stem)) found += 1;
  return found / wanted.size;
}

/**
 * Below this a statement has too little to do with what it is said to rest on: it was invented, or it followed an
 * instruction in the text. A paraphrase keeps at least the names and things.
 */
export const MIN_COVERAGE = 1 / 3;
