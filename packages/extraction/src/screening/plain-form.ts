import { stripInvisible } from '@factmill/contracts';

/** Letters of other scripts that look like Latin ones, for words that mix them. */
const LOOKALIKES: ReadonlyMap<string, string> = new Map(
  [...'аaеeоoрpсcуyхxіiѕsјjԁdһhӏlмmтtкkвbнhгrαaοoεeιiκkνvρpτtυuηn'.matchAll(/(.)(.)/gu)].map(
    ([, other = '', latin = '']) => [other, latin],
  ),
);
const LATIN = /\p{Script=Latin}/u;
const ALIKE = /[\p{Script=Cyrillic}\p{Script=Greek}]/u;

/** A word that mixes scripts, in Latin letters. */
function toLatin(word: string): string {
  return LATIN.test(word) && ALIKE.test(word)
    ? [...word].map((letter) => LOOKALIKES.get(letter) ?? letter).join('')
    : word;
}

const TAG_CHARACTERS = /[\u{e0020}-\u{e007e}]/gu;

/** What tag characters spell: each stands for a letter that only machines read. */
export function hiddenText(text: string): string {
  return (text.match(TAG_CHARACTERS) ?? [])
    .map((character) => String.fromCodePoint((character.codePointAt(0) ?? 0) - 0xe_00_00))
    .join('');
}

/**
 * The form in which a text is compared with patterns: as people see it, in compatible and lower-case letters, in Latin
 * ones where a word mixes scripts that look alike, with single spaces and straight quotes. Lines stay lines.
 */
export function plainForm(text: string): string {
  return stripInvisible(text)
    .normalize('NFKC')
    .toLowerCase()
    .replaceAll(/[\p{L}\p{M}]+/gu, (word) => toLatin(word))
    .replaceAll(/[‘’`´]/g, "'")
    .replaceAll(/[“”]/g, '"')
    .replaceAll(/[^\S\n]+/g, ' ')
    .trim();
}
