/** Words with inner apostrophes; letters carry their combining marks. */
const WORD = /[\p{L}\p{N}][\p{L}\p{N}\p{M}]*(?:['’][\p{L}\p{M}]+)*/gu;
/** Scripts that put no spaces between words; Korean does, but glues particles to them. */
const UNSPACED = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}ー]+/gu;

/** A piece of a word; `unspaced` for pairs of characters of a script without spaces. */
export type Word = Readonly<{ text: string; unspaced: boolean }>;

/**
 * The words of a text in their order, lower-case and in composed form, as texts are usually stored: runs of Chinese,
 * Japanese or Korean as overlapping pairs of characters, possessives without their `'s`.
 */
export function* wordsOf(text: string): Generator<Word> {
  for (const [word] of text.normalize('NFC').toLowerCase().matchAll(WORD)) {
    let end = 0;
    for (const run of word.matchAll(UNSPACED)) {
      yield* spaced(word.slice(end, run.index));
      for (const pair of characterPairs(run[0])) yield { text: pair, unspaced: true };
      end = run.index + run[0].length;
    }
    yield* spaced(word.slice(end));
  }
}

/** `anna's` is looked for as `anna`; other apostrophes stay, as in `o'brien`. */
function* spaced(word: string): Generator<Word> {
  const text = word.replaceAll('’', "'").replace(/'s$/, '');
  if (text !== '') yield { text, unspaced: false };
}

function characterPairs(run: string): string[] {
  const characters = [...run];
  if (characters.length <= 2) return [run];
  return characters.slice(1).map((character, index) => `${characters[index] ?? ''}${character}`);
}
