/**
 * Characters that people do not see (default ignorable in Unicode), and before them, in group 1, the ones that belong to
 * what is seen: flags of England, Scotland and Wales, joiners and one presentation selector of emoji, key caps, joiners
 * of scripts that need them (not of those that never do), selectors of Mongolian letters, vowels of Khmer.
 */
const INVISIBLE = new RegExp(
  [
    String.raw`(\u{1f3f4}(?:\u{e0067}\u{e0062}\u{e0065}\u{e006e}\u{e0067}|\u{e0067}\u{e0062}\u{e0073}\u{e0063}\u{e0074}|\u{e0067}\u{e0062}\u{e0077}\u{e006c}\u{e0073})\u{e007f}`,
    String.raw`(?<=[\p{Extended_Pictographic}\p{Emoji_Modifier}]\ufe0f?)\u200d(?=\p{Extended_Pictographic})`,
    String.raw`(?<=\p{Extended_Pictographic})[\ufe0e\ufe0f]`,
    String.raw`(?<=[#*0-9])\ufe0f(?=\u20e3)`,
    String.raw`(?<=(?![\p{Script=Latin}\p{Script=Greek}\p{Script=Cyrillic}\p{Script=Han}\p{Script=Hangul}\p{Script=Hiragana}\p{Script=Katakana}])[\p{L}\p{M}])(?<!\p{DI})[\u200c\u200d]`,
    String.raw`(?<=(?!\p{DI})\p{Script=Mongolian})[\u180b-\u180f]`,
    String.raw`(?<=(?!\p{DI})\p{Script=Khmer})[\u17b4\u17b5])|\p{DI}`,
  ].join('|'),
  'gu',
);

/**
 * The text without characters that people do not see: soft hyphens, zero-width spaces, direction overrides, tag
 * characters, variation selectors. They could tell a model something that a human reader does not notice.
 */
export function stripInvisible(text: string): string {
  return text.replaceAll(INVISIBLE, (_character, seen: string | undefined) => seen ?? '');
}

/** The marks of chat formats that some servers read as control tokens even within a text. */
const CONTROL_TOKEN = new RegExp(
  [
    String.raw`<(?=[|｜][^<>|｜\n]{1,60}[|｜]>)`,
    String.raw`<(?=\/?(?:s|bos|eos|unk|pad|mask|sop|eop|start_of_turn|end_of_turn|(?:begin|end)_of_(?:text|sentence)|start_header_id|end_header_id|tool_call|tool_calls|tool_response|function_call|function_calls|think|thinking)>)`,
    String.raw`<(?=<\/?SYS>>)`,
    String.raw`\[(?=\/?(?:INST|SYSTEM_PROMPT|AVAILABLE_TOOLS|TOOL_CALLS|TOOL_RESULTS|gMASK|sMASK)\])`,
  ].join('|'),
  'giu',
);

const ESCAPED: Readonly<Record<string, string>> = { '<': '&lt;', '[': '&#91;' };

/** The text with the first character of each such mark escaped, so that it is read as text. */
export function escapeControlTokens(text: string): string {
  return text.replaceAll(CONTROL_TOKEN, (bracket) => ESCAPED[bracket] ?? bracket);
}

/** Whether a text holds such a mark. */
export function holdsControlToken(text: string): boolean {
  return text.search(CONTROL_TOKEN) >= 0;
}
