/** Tokens per ASCII letter or digit. Common vocabularies need one token per 3 to 5 letters of English, 2 of hex. */
const PER_ALPHANUMERIC = 0.5;

/**
 * An upper bound of a text's tokens, for models whose tokenizer is not available: half a token per ASCII letter or
 * digit, one per other ASCII character, half a token per UTF-8 byte of the next 62,000 characters, which hold most
 * scripts, and one per byte beyond (emoji). English gets about twice its tokens. White space has none.
 */
export function boundTokens(text: string): number {
  let tokens = 0;
  for (const character of text) tokens += weightOf(character);
  return Math.ceil(tokens);
}

/** The longest beginning of a text with at most so many tokens by that bound. */
export function cutToTokens(text: string, maxTokens: number): string {
  let tokens = 0;
  let end = 0;
  for (const character of text) {
    tokens += weightOf(character);
    if (tokens > maxTokens) break;
    end += character.length;
  }
  return text.slice(0, end);
}

function weightOf(character: string): number {
  const code = character.codePointAt(0) ?? 0;
  if (code < 0x80) return /[a-z0-9]/i.test(character) ? PER_ALPHANUMERIC : /\s/.test(character) ? 0 : 1;
  if (code < 0x800) return 1;
  if (code < 0x10000) return /\s/.test(character) ? 0 : 1.5;
  return 4;
}
