/**
 * A stored text on one line, unable to end the block it stands in: no line of its own, and the opening `<` of our
 * tags written as `&lt;`, however they are spaced or cased.
 */
export function quoteLine(text: string): string {
  return escapeTags(text.replaceAll(/[\p{Cc}\p{Zl}\p{Zp}\s]+/gu, ' ').trim());
}

/** The same for text of several lines: they stay, but none of them can pass for a heading or end the block. */
export function quoteText(text: string): string {
  const lines = text
    .split(/\r\n|[\r\n\u2028\u2029\v\f\u0085]/)
    .map((line) => quoteLine(line).replace(/^#+\s*/, ''));
  return lines
    .join('\n')
    .replaceAll(/\n{3,}/g, '\n\n')
    .trim();
}

/** For the bracketed form: brackets become parentheses, so that the closing one is ours. */
export function quoteBracketed(text: string): string {
  return quoteLine(text).replaceAll('[', '(').replaceAll(']', ')');
}

function escapeTags(text: string): string {
  return text.replaceAll(/<(?=[\s/]{0,8}memory\b)/gi, '&lt;');
}
