const CJK = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}]/gu;

/**
 * Estimated tokens of a text: 1.5 per Chinese, Japanese or Korean character and 0.75 per other word (the estimate
 * of source C, feature C7), rounded up. Used wherever tokens are counted without a tokenizer.
 */
export function estimateTokens(text: string): number {
  return Math.ceil(weighTokens(text));
}

/** The same estimate before rounding: additive over parts separated by white space. */
export function weighTokens(text: string): number {
  let characters = 0;
  const rest = text.replace(CJK, () => {
    characters += 1;
    return ' ';
  });
  const words = rest.match(/\S+/g)?.length ?? 0;
  return characters * 1.5 + words * 0.75;
}
