/** Characters that take the place of two (East Asian wide): one of them says about as much as a syllable. */
const WIDE =
  /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}\u3000-\u303F\uFF01-\uFF60]/gu;

/** The width of a text in columns: how much it can say, whatever its script. */
export function textWidth(text: string): number {
  return text.length + (text.match(WIDE)?.length ?? 0);
}
