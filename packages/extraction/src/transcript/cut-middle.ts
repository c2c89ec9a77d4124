/** The range cut from a text: `[from, to)` in UTF-16 code units of the original. */
export type Cut = { text: string; removed: { from: number; to: number } | null };

const isLowSurrogate = (code: number): boolean => code >= 0xdc_00 && code <= 0xdf_ff;

/** The nearest index at or before `index` that does not split a character. */
function wholeCharacter(text: string, index: number): number {
  return index > 0 && isLowSurrogate(text.charCodeAt(index)) ? index - 1 : index;
}

/**
 * A text of at most `limit` code units: a longer one keeps its head and its tail, with a line in between that says
 * how much is missing. 0 is no limit.
 */
export function cutMiddle(text: string, limit: number): Cut {
  if (limit === 0 || text.length <= limit) return { text, removed: null };
  // The longest possible marker: it never names more than the whole text.
  const room = Math.max(0, limit - markerOf(text.length).length);
  const from = wholeCharacter(text, Math.ceil(room / 2));
  const end = text.length - Math.floor(room / 2);
  const to = wholeCharacter(text, end) === end ? end : end + 1;
  return { text: `${text.slice(0, from)}${markerOf(to - from)}${text.slice(to)}`, removed: { from, to } };
}

function markerOf(characters: number): string {
  return `\n[… ${characters} characters left out …]\n`;
}
