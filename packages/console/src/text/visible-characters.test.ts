import { expect, test } from '@jest/globals';
import { splitHidden } from './visible-characters.ts';

const shown = (text: string) =>
  splitHidden(text)
    .map((piece) => ('text' in piece ? piece.text : `[${piece.code}]`))
    .join('');

test.each([
  ['a direction override', 'pay \u202eevil\u202c now', 'pay [U+202E]evil[U+202C] now'],
  ['a zero-width space in a word', 'pass\u200bword', 'pass[U+200B]word'],
  ['tag characters', 'hi\u{e0041}\u{e0042}', 'hi[U+E0041][U+E0042]'],
  ['a null and an escape', 'a\u0000b\u001b[31m', 'a[U+0000]b[U+001B][31m'],
  ['a carriage return', 'safe\rover', 'safe[U+000D]over'],
  ['a soft hyphen and a filler', 'a\u00adb\u3164', 'a[U+00AD]b[U+3164]'],
  ['a private and half a character', '\ue000\ud800x', '[U+E000][U+D800]x'],
  ['a line separator', 'a\u2028b', 'a[U+2028]b'],
])('shows %s by its code', (_what, text, expected) => {
  expect(shown(text)).toBe(expected);
});

test.each([
  ['line breaks and tabs', 'a\n\tb'],
  ['markup', '<img src=x onerror=alert(1)>'],
  ['emoji of several characters', 'family 👩‍👩‍👧 ❤️ 1️⃣'],
  ['joiners of Persian', 'می‌خواهم'],
  ['other scripts', '東京 العربية עברית'],
])('leaves %s as text', (_what, text) => {
  expect(splitHidden(text)).toEqual([{ text }]);
});

test('an empty text has no pieces', () => {
  expect(splitHidden('')).toEqual([]);
});
