import { stripInvisible } from '@factmill/contracts';

/** Decorative forms of letters: mathematical, circled, squared. */
const STYLED = '[\\u{1d400}-\\u{1d7cb}\\u24b6-\\u24e9\\u{1f130}-\\u{1f189}]';
const FULL_WIDTH = '[\\uff21-\\uff3a\\uff41-\\uff5a]';
/** Invisible characters between letters. Joiners are not included, because scripts need them. */
const UNSEEN =
  '[\\u00ad\\u034f\\u115f\\u1160\\u200b\\u2060-\\u2064\\u3164\\ufe00-\\ufe0e\\ufeff\\uffa0\\u{e0100}-\\u{e01ef}]';

/** One such word may be a name in decorative letters; several in a row are a sentence. */
const DISGUISES = [
  new RegExp(`(?<!${STYLED})(?:${STYLED}{2,24}\\s{1,4}){2}${STYLED}{2}`, 'u'),
  new RegExp(`(?<!${FULL_WIDTH})(?:${FULL_WIDTH}{2,24}\\s{1,4}){3}${FULL_WIDTH}{2}`, 'u'),
  // Letters with a stroke through each, or with an invisible character between them.
  /(?:\p{L}[\u0334-\u0338]){3}/u,
  new RegExp(`(?:\\p{Script=Latin}${UNSEEN}){3}`, 'u'),
  // Sentences that are displayed in another order than written; a single mark beside a word is only removed.
  /[\u202d\u202e][^\u202c]{12}/u,
  // Spelled-out words: `s.k.i.p.s`.
  /(?<![\p{L}\p{N}])(?:\p{Ll}\.){4}\p{Ll}|(?<![\p{L}\p{N}])(?:\p{Ll}[_*-]){4}\p{Ll}(?!\p{L})/u,
];

const RIGHT_TO_LEFT = /[\p{Script=Arabic}\p{Script=Hebrew}\p{Script=Syriac}\p{Script=Thaana}]/u;
const TURNED = /[\u202b\u2067]/u;

/**
 * Whether a text hides its content from readers or from filters. Users do not state facts in such writing, so it is
 * refused whatever its content.
 */
export function isDisguised(text: string): boolean {
  if (DISGUISES.some((disguise) => disguise.test(text))) return true;
  if (TURNED.test(text) && !RIGHT_TO_LEFT.test(text)) return true;
  return (text.match(/\p{L}+/gu) ?? []).some((word) => mixesScripts(word));
}

/**
 * A model's text without invisible characters. A disguised text stays unchanged, because the disguise only shows in
 * the original and the later screening must refuse it.
 */
export function visibleUnlessDisguised(text: string): string {
  return isDisguised(text) ? text : stripInvisible(text);
}

/**
 * Whether a word mixes Latin and Cyrillic letters, as `оpеrаtоr`; an ending in the other script, as `SMSка`, does
 * not count.
 */
function mixesScripts(word: string): boolean {
  let turns = 0;
  let last = '';
  for (const letter of word) {
    const script = /\p{Script=Latin}/u.test(letter)
      ? 'latin'
      : /\p{Script=Cyrillic}/u.test(letter)
        ? 'cyrillic'
        : '';
    if (script === '' || script === last) continue;
    if (last !== '') turns += 1;
    last = script;
  }
  return turns >= 2;
}
