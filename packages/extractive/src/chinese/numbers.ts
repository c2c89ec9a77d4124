const DIGITS = '零一二三四五六七八九';

/** One digit, or 0 when the character is none. */
function digitOf(character: string): number {
  if (character === '两') return 2;
  return Math.max(0, DIGITS.indexOf(character));
}

/** A number up to 99 in digits or in Chinese: `28`, `二十八`, `两`. Characters that are none count as zero. */
export function numberOf(text: string): number {
  if (/^\d+$/.test(text)) return Number(text);
  const ten = text.indexOf('十');
  if (ten < 0) return digitOf(text.charAt(0));
  const tens = ten === 0 ? 1 : digitOf(text.charAt(0));
  return tens * 10 + (ten === text.length - 1 ? 0 : digitOf(text.charAt(ten + 1)));
}

/** A number of one or two digits in a pattern. */
export const NUMBER = '(?:\\d{1,2}|[一二三四五六七八九]?十[一二三四五六七八九]?|[零一二两三四五六七八九])';
