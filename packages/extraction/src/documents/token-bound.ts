/** Tokens per ASCII letter or digit. Common vocabularies need one token per 3 to 5 letters of English, 2 of hex. */
const PER_ALPHANUMERIC = 0.5;

/**
 * An upper bound of a text's tokens, for models whose tokenizer is not available: half a token per ASCII letter or
 * digit, one per other ASCII character, half a token per UTF-8 byte of the next 62,000 characters, which hold most
 * scripts, and one per byte beyond (emoji). English gets about twice its tokens. White space has none.
 */
export function boundTokens(text: string): number {
  let tokens = 0;
  for (const character of text) {
    const code = character.codePointAt(0) ?? 0;
    if (code < 0x80) {
      if (/[a-z0-9]/i.test(character)) tokens += PER_ALPHANUMERIC;
      else if (!/\s/.test(character)) tokens += 1;
    } else if (code < 0x800) tokens += 1;
    else if (code < 0x10000) tokens += /\s/.test(character) ? 0 : 1.5;
    else tokens += 4;
  }
  return Math.ceil(tokens);
}
