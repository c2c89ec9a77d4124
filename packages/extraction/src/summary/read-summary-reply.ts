import { stripInvisible } from '@factmill/contracts';
import { withoutReasoning } from '../reply/find-json.ts';
import { toStorableText } from '../storable-text.ts';

/** Three times what the prompt asks for; what is longer is not a summary. */
export const MAX_SUMMARY_CHARACTERS = 6_000;

const FENCE = /^```[^\n]*\n([\s\S]*?)\n?```$/;
const OWN_TAGS = /<\/?(?:facts|portrait|summary|conversation)>/i;

/**
 * The text of a reply that is to be a summary: without thoughts and fences, white space in order. Null when it cannot
 * be one: empty, without a word, data instead of prose, our own delimiters, or far too long.
 */
export function readSummaryReply(raw: string): string | null {
  const visible = toStorableText(stripInvisible(withoutReasoning(raw)));
  const text = toStorableText(FENCE.exec(visible)?.[1] ?? visible)
    .replaceAll(/[^\S\n]+/g, ' ')
    .replaceAll(/ ?\n ?/g, '\n')
    .replaceAll(/\n{3,}/g, '\n\n')
    .trim();
  if (!/\p{L}{2}/u.test(text) && !/\p{Lo}/u.test(text)) return null;
  if (/^[{[<]/.test(text) || OWN_TAGS.test(text)) return null;
  return text.length > MAX_SUMMARY_CHARACTERS ? null : text;
}
