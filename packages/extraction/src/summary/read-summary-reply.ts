import { stripInvisible } from '@factmill/contracts';
import { withoutReasoning } from '../reply/find-json.ts';
import { toStorableText } from '../storable-text.ts';

/** Three times what the prompt asks for; a longer text is no summary. */
const MAX_SUMMARY_CHARACTERS = 6_000;

const FENCE = /^```[^\n]*\n([\s\S]*?)\n?```$/;
const OWN_TAGS = /<\/?(?:facts|portrait|summary|conversation)>/i;

/**
 * The text of a summary reply without reasoning and fences, with white space normalised. Null when it cannot be a
 * summary: empty, without a word, data instead of prose, our own delimiters, or far too long.
 */
export function readSummaryReply(raw: string): string | null {
  const reply = toStorableText(withoutReasoning(raw));
  const text = toStorableText(FENCE.exec(reply)?.[1] ?? reply)
    .replaceAll(/[^\S\n]+/g, ' ')
    .replaceAll(/ ?\n ?/g, '\n')
    .replaceAll(/\n{3,}/g, '\n\n')
    .trim();
  const seen = stripInvisible(text).trim();
  if (!/\p{L}{2}/u.test(seen) && !/\p{Lo}/u.test(seen)) return null;
  if (/^[{[<]/.test(seen) || OWN_TAGS.test(seen)) return null;
  return text.length > MAX_SUMMARY_CHARACTERS ? null : text;
}
