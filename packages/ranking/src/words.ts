/** Words with inner apostrophes; letters carry their combining marks. */
const WORD = /[\p{L}\p{N}][\p{L}\p{N}\p{M}]*(?:['’][\p{L}\p{M}]+)*/gu;
/** Scripts that put no spaces between words; Korean does, but glues particles to them. */
const UNSPACED = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}ー]+/gu;
const PADDED = /｜[^｜]+｜|[^ ｜]+/g;

/** A word; `unspaced` for a pair of characters of a script without spaces. */
export type Word = Readonly<{ text: string; unspaced: boolean }>;

/**
 * The words of a text in order, lower case and in composed form, as texts are usually stored: Chinese, Japanese or
 * Korean as overlapping pairs of characters, possessives without their `'s`.
 */
export function wordsOf(text: string): Word[] {
  return (paddedWords(text).match(PADDED) ?? []).map((piece) =>
    piece.startsWith('｜') ? { text: piece.slice(1, -1), unspaced: true } : { text: piece, unspaced: false },
  );
}

/**
 * The words of `wordsOf` as one text to search in: each with a space around it, or, for a pair of characters, a bar
 * that occurs in no word.
 */
export function paddedWords(text: string): string {
  const words = text.normalize('NFC').toLowerCase().match(WORD) ?? [];
  // `anna's` is searched for as `anna`; other apostrophes stay, as in `o'brien`.
  return ` ${words.join(' ')} `.replace(UNSPACED, paddedPairs).replaceAll('’', "'").replaceAll("'s ", ' ');
}

function paddedPairs(run: string): string {
  const characters = [...run];
  const pairs =
    characters.length <= 2
      ? [run]
      : characters.slice(1).map((character, index) => `${characters[index] ?? ''}${character}`);
  return ` ｜${pairs.join('｜｜')}｜ `;
}
