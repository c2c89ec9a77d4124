const CJK = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}]/gu;
const PUNCTUATION = /[、。，；：！？（）「」『』【】《》]/g;
/** What stands around words without being part of them. `+`, `#`, `%` and `-` can be: C++, C#, 5 %, -5. */
const EDGES = new Set('.,;:!?…"\'“”„«»()[]{}*_`~|<>—–¿¡');
const RULE = /^[-=#>+]+$/;

/**
 * The form in which texts are searched for one another: words in lower case with one space around each, without the
 * punctuation around them; Chinese, Japanese and Korean characters are words of their own. Because of the spaces a
 * text contains another only as whole words: "age is 4" is not in "age is 42". Empty for a text without words.
 */
export function matchingText(text: string): string {
  const words = text
    .normalize('NFKC')
    .toLowerCase()
    .replaceAll(/[‘’]/g, "'")
    .replaceAll(PUNCTUATION, ' ')
    .replaceAll(CJK, ' $& ')
    .split(/\s+/)
    .map(trimEdges)
    .filter((word) => word !== '' && !RULE.test(word));
  return words.length === 0 ? '' : ` ${words.join(' ')} `;
}

function trimEdges(word: string): string {
  let start = 0;
  let end = word.length;
  while (start < end && EDGES.has(word.charAt(start))) start += 1;
  while (end > start && EDGES.has(word.charAt(end - 1))) end -= 1;
  return word.slice(start, end);
}
