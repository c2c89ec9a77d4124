/** Words with inner apostrophes; letters carry their combining marks. */
const WORD = /[\p{L}\p{N}][\p{L}\p{N}\p{M}]*(?:['’][\p{L}\p{M}]+)*/gu;
/** Scripts that put no spaces between words; Korean does, but glues particles to them. */
const UNSPACED = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}ー]+/gu;
const PADDED = /｜[^｜]+｜|[^ ｜]+/g;

/** A piece of a word; `unspaced` for pairs of characters of a script without spaces. */
export type Word = Readonly<{ text: string; unspaced: boolean }>;

/**
 * The words of a text in their order, lower-case and in composed form, as texts are usually stored: runs of Chinese,
 * Japanese or Korean as overlapping pairs of characters, possessives without their `'s`.
 */
export function wordsOf(text: string): Word[] {
  return (paddedWords(text).match(PADDED) ?? []).map((piece) =>
    piece.startsWith('｜') ? { text: piece.slice(1, -1), unspaced: true } : { text: piece, unspaced: false },
  );
}

/**
 * The words of `wordsOf` as one text to look for parts of words in: each has a space before and behind it or, as a pair
 * of characters, a line that no word has.
 */
export function paddedWords(text: string): string {
  const words = text.normalize('NFC').toLowerCase().match(WORD) ?? [];
  // `anna's` is looked for as `anna`; other apostrophes stay, as in `o'brien`.
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
