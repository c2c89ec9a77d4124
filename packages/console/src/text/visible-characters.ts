/** A piece of a text: as it is, or one character that people would not see. */
export type TextPiece = Readonly<{ text: string }> | Readonly<{ code: string; name: string }>;

/**
 * Characters that are not seen or that change how others are read: controls, format characters such as direction
 * overrides and zero-width spaces, everything that fonts may ignore, private and unassigned ones, separators, and spaces
 * that look like others. Joiners and selectors of emoji, and joiners within scripts that need them, are seen.
 */
const HIDDEN = new RegExp(
  [
    String.raw`(?<=[\p{Extended_Pictographic}\p{Emoji_Modifier}]\ufe0f?)\u200d(?=\p{Extended_Pictographic})`,
    String.raw`(?<=\p{Extended_Pictographic})[\ufe0e\ufe0f]`,
    String.raw`(?<=[#*0-9])\ufe0f(?=\u20e3)`,
    String.raw`(?<=(?![\p{Script=Latin}\p{Script=Greek}\p{Script=Cyrillic}\p{Script=Han}])[\p{L}\p{M}])[\u200c\u200d]`,
    String.raw`([\p{Cc}\p{Cf}\p{Co}\p{Cn}\p{Zl}\p{Zp}\p{DI}\u2000-\u200a\u205f]|[\ud800-\udfff])`,
  ].join('|'),
  'gu',
);

/** Those that attacks use most, by name; the others show their number. */
const NAMES: Readonly<Record<string, string>> = {
  '00AD': 'soft hyphen',
  '061C': 'Arabic letter mark',
  '200B': 'zero-width space',
  '200C': 'zero-width non-joiner',
  '200D': 'zero-width joiner',
  '200E': 'left-to-right mark',
  '200F': 'right-to-left mark',
  '2028': 'line separator',
  '2029': 'paragraph separator',
  '202A': 'left-to-right embedding',
  '202B': 'right-to-left embedding',
  '202C': 'end of a direction',
  '202D': 'left-to-right override',
  '202E': 'right-to-left override',
  '2060': 'word joiner',
  '2066': 'left-to-right isolate',
  '2067': 'right-to-left isolate',
  '2068': 'first-strong isolate',
  '2069': 'end of an isolate',
  FEFF: 'zero-width no-break space',
};

/** The text in pieces, so that what people would not see can be shown by its code. Line breaks and tabs stay text. */
export function splitHidden(text: string): TextPiece[] {
  const pieces: TextPiece[] = [];
  let from = 0;
  for (const match of text.matchAll(HIDDEN)) {
    const [, hidden] = match;
    if (hidden === undefined || hidden === '\n' || hidden === '\t') continue;
    if (match.index > from) pieces.push({ text: text.slice(from, match.index) });
    pieces.push(describe(hidden));
    from = match.index + hidden.length;
  }
  if (from < text.length) pieces.push({ text: text.slice(from) });
  return pieces;
}

function describe(character: string): TextPiece {
  const code = (character.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, '0');
  const isTag = /^E00[0-7][0-9A-F]$/.test(code);
  return { code: `U+${code}`, name: NAMES[code] ?? (isTag ? 'tag character' : 'invisible character') };
}
