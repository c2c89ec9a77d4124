import { escapeControlTokens, stripInvisible } from '@factmill/contracts';

/**
 * A stored text on one line, unable to end the block it stands in: no line of its own, nothing that people cannot see
 * (nobody vouches for it, and it could speak to the model alone), and the bracket of our tags, and
 * of control tokens of chat formats, written as `&lt;`.
 */
export function quoteLine(text: string): string {
  return escapeTags(toLine(text));
}

/** The same for text of several lines: they stay, but none of them can pass for a heading or end the block. */
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

/** Marks of a heading, however many, and what could hide before them; the key # of emoji is none. */
const HEADING = /^(?:[\s\p{Cf}\p{DI}]*[#＃﹟](?!\ufe0f?\u20e3))+\s*/u;
/** A line that makes a heading of the one above. */
const UNDERLINE = /^(?:[=\p{Cf}\p{DI}]+|[-\p{Cf}\p{DI}]+)$/u;

/**
 * A bracket and the word behind it: what is between them, and in the word, may be spaced, slashed, invisible or
 * combined. None of the parts can match what the next begins with, so that it is found in one way.
 */
const TAG =
  /([<＜﹤‹«〈《〈⟨⟪❮❬❰˂≪])([\s\u2800\p{Cf}\p{DI}\p{M}/\\／∕⁄⧸╱]*)(?=([\p{L}\p{N}\p{So}][\p{L}\p{N}\p{So}\p{Cf}\p{DI}\p{M}_]*))/gu;
const SLASH = /[/\\／∕⁄⧸╱]/;
/** `memory` in letters that look like its own. */
const MEMORY = /^[mмᴍ][eеᴇ][mмᴍ][oоοσᴏ0][rгʀ][yуүγʏ](?![a-z0-9_])/u;

/** Brackets other than `<` are those of titles and quotes as well: with them only an end is a tag. */
function escapeTags(text: string): string {
  return escapeControlTokens(text).replaceAll(
    TAG,
    (tag: string, bracket: string, between: string, word: string) =>
      (bracket === '<' || SLASH.test(between)) && MEMORY.test(plainWord(word)) ? `&lt;${between}` : tag,
  );
}

/** In small letters without accents and without what is not seen. */
function plainWord(word: string): string {
  return word
    .normalize('NFKD')
    .replaceAll(/[\p{Cf}\p{DI}\p{M}]/gu, '')
    .toLowerCase();
}
