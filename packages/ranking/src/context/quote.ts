import { escapeControlTokens, stripInvisible } from '@factmill/contracts';

/**
 * A stored text on one line that cannot end the block around it: without line breaks and invisible characters (they
 * could tell the model something that people do not see), and with the bracket of our tags and of chat formats'
 * control tokens as `&lt;`.
 */
export function quoteLine(text: string): string {
  return escapeTags(toLine(text));
}

/** The same for several lines: they stay, but none of them can act as a heading or end the block. */
export function quoteText(text: string): string {
  const lines = text
    .split(/\r\n|[\r\n\u2028\u2029\v\f\u0085]/)
    .map((line) => toLine(line).replace(HEADING, ''))
    .filter((line) => !UNDERLINE.test(line));
  return escapeTags(
    lines
      .join('\n')
      .replaceAll(/\n{3,}/g, '\n\n')
      .trim(),
  );
}

/** For the bracketed form: brackets become parentheses, so that the closing one is ours. */
export function quoteBracketed(text: string): string {
  return quoteLine(text)
    .replaceAll(/[[［﹇]/g, '(')
    .replaceAll(/[\]］﹈]/g, ')');
}

function toLine(text: string): string {
  return stripInvisible(text)
    .replaceAll(/[\p{Cc}\p{Zl}\p{Zp}\s]+/gu, ' ')
    .trim();
}

/** Heading marks, with invisible characters before them; the # of a key cap emoji is none. */
const HEADING = /^(?:[\s\p{Cf}\p{DI}]*[#＃﹟](?!\ufe0f?\u20e3))+\s*/u;
/** A line that turns the one above into a heading. */
const UNDERLINE = /^(?:[=\p{Cf}\p{DI}]+|[-\p{Cf}\p{DI}]+)$/u;

/**
 * A bracket and the word after it. Spaces, slashes, invisible and combining characters may stand between and inside
 * them. No part of the pattern can match the beginning of the next, so it never backtracks.
 */
const TAG =
  /([<＜﹤‹«〈《〈⟨⟪❮❬❰˂≪])([\s\u2800\p{Cf}\p{DI}\p{M}/\\／∕⁄⧸╱]*)(?=([\p{L}\p{N}\p{So}][\p{L}\p{N}\p{So}\p{Cf}\p{DI}\p{M}_]*))/gu;
const SLASH = /[/\\／∕⁄⧸╱]/;
/** `memory`, also in look-alike letters. */
const MEMORY = /^[mмᴍ][eеᴇ][mмᴍ][oоοσᴏ0][rгʀ][yуүγʏ](?![a-z0-9_])/u;

/** Other brackets than `<` also stand in titles and quotes, so with them only a closing tag is escaped. */
function escapeTags(text: string): string {
  return escapeControlTokens(text).replaceAll(
    TAG,
    (tag: string, bracket: string, between: string, word: string) =>
      (bracket === '<' || SLASH.test(between)) && MEMORY.test(plainWord(word)) ? `&lt;${between}` : tag,
  );
}

/** Lower case, without accents and invisible characters. */
function plainWord(word: string): string {
  return word
    .normalize('NFKD')
    .replaceAll(/[\p{Cf}\p{DI}\p{M}]/gu, '')
    .toLowerCase();
}
