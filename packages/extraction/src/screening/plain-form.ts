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

/** Tag characters, and variation selectors beyond those that letters have. */
const SPELLING = /[\u{e0020}-\u{e007e}]|[\u{e0100}-\u{e01ef}]/gu;

/** The text that invisible characters spell: each stands for a letter that only machines read. */
export function hiddenText(text: string): string {
  return (text.match(SPELLING) ?? [])
    .map((character) => {
      const code = character.codePointAt(0) ?? 0;
      // Selectors 17 to 256 stand for bytes from 16 on.
      return String.fromCodePoint(code < 0xe_01_00 ? code - 0xe_00_00 : code - 0xe_01_00 + 16);
    })
    .join('');
}

const ENTITY =
  /&(?:#(\d{1,7})|#x([\da-f]{1,6})|(lt|gt|amp|quot|apos|lpar|rpar|lsqb|rsqb|nbsp));?|%(3c|3e|22|27)|\\u00(3c|3e|22|27)/gi;
const NAMED: Readonly<Record<string, string>> = {
  lt: '<', gt: '>', amp: '&', quot: '"', apos: "'", lpar: '(', rpar: ')', lsqb: '[', rsqb: ']', nbsp: ' ',
}; // prettier-ignore

/** The text with HTML entities, and with brackets and quotes in percent or JSON escapes, decoded. */
export function decodeEntities(text: string): string {
  return text.replaceAll(
    ENTITY,
    (whole, decimal?: string, hex?: string, name?: string, percent?: string, json?: string) => {
      if (name !== undefined) return NAMED[name.toLowerCase()] ?? whole;
      const code =
        decimal === undefined ? Number.parseInt(hex ?? percent ?? json ?? '', 16) : Number(decimal);
      return code > 0 && code <= 0x10_ff_ff ? String.fromCodePoint(code).toWellFormed() : whole;
    },
  );
}

/**
 * The form in which a text is matched with patterns: without invisible characters, in compatibility form and lower
 * case, with look-alike letters as Latin ones in words that mix scripts, with single spaces and straight quotes.
 * Line breaks stay.
 */
export function plainForm(text: string): string {
  return joinSpelled(stripInvisible(decodeEntities(text)).normalize('NFKC').toLowerCase())
    .replaceAll(/[\p{L}\p{M}]+/gu, (word) => toLatin(word))
    .replaceAll(/[‘’`´]/g, "'")
    .replaceAll(/[“”]/g, '"')
    .replaceAll(/[^\S\n]+/g, ' ')
    .trim();
}

/** Four or more single letters with the same mark or space after each: "i g n o r e", "i.g.n.o.r.e". */
const SPELLED = /(?<![\p{L}\p{N}])\p{L}([ ._*-])(?:\p{L}\1){2,200}\p{L}(?![\p{L}\p{N}])/gu;

function joinSpelled(text: string): string {
  return text.replaceAll(SPELLED, (run, between: string) => run.replaceAll(between, ''));
}

const LEET: Readonly<Record<string, string>> = {
  0: 'o',
  1: 'i',
  3: 'e',
  4: 'a',
  5: 's',
  7: 't',
  '@': 'a',
  $: 's',
};
/** A word of letters with digits or symbols in place of some. */
const LEET_WORD = /(?<![\p{L}\d@$])(?=[\d@$]{0,8}[a-z])(?=[a-z]{0,20}[\d@$])[a-z\d@$]{3,40}(?![\p{L}\d@$])/gu;
/** A number such as `411` is read as letters only beside such words. */
const DIGITS_FOR_LETTERS = /(?<![\p{L}\d])[0134579]{2,6}(?![\p{L}\d])/gu;

/** The plain form and its other readings: digits as letters, spelled-out words joined, and backwards. */
export function readingsOf(plain: string): string[] {
  const readings = [plain];
  const letters = plain.replaceAll(LEET_WORD, (word) => toLetters(word));
  if (letters !== plain) {
    const all = letters.replaceAll(DIGITS_FOR_LETTERS, (word) => toLetters(word));
    readings.push(
      all,
      plain.replaceAll(LEET_WORD, (word) => toLetters(word.replaceAll('1', 'l'))),
    );
  }
  readings.push([...plain].toReversed().join(''));
  return readings;
}

function toLetters(word: string): string {
  return word.replaceAll(/[013457@$]/g, (sign) => LEET[sign] ?? sign);
}
