import { MAX_VALUE_CHARACTERS } from './read-items.ts';

const MIN_LINE_CHARACTERS = 10;
const NOTHING = /^(?:none|nothing|null|n\/a|no (?:new )?(?:facts|memories))$/i;
const LABEL = /^(?:[-*•]\s+|\d{1,2}[.)]\s+|(?:the |single )?(?:fact|memory)\s*:\s*)/i;
const QUOTED = /^(?:"([^"]*)"|“([^”]*)”|'([^']*)'|`([^`]*)`)$/;

/** Whether a text says that there is nothing to remember, and no more than that. */
export function isNothing(text: string): boolean {
  const bare = text.length > 40 ? '' : text.replaceAll(/["'`*.!\s]+/g, ' ').trim();
  return NOTHING.test(bare);
}

/**
 * Reads a reply that is one line or NOTHING (B4): the statement, without a bullet, label or quotes around it;
 * `nothing` when the word is anywhere in it; `not_a_fact` when it is shorter than 10 characters, just yes or no, or a
 * question; `invalid` when it is several lines. A line before it that ends with a colon is talk.
 */
export function readLine(
  text: string,
): { line: string } | { line: null; is: 'nothing' | 'not_a_fact' | 'invalid' } {
  if (/nothing/i.test(text) || isNothing(text)) return { line: null, is: 'nothing' };
  if (text.length > MAX_VALUE_CHARACTERS) return { line: null, is: 'invalid' };
  const lines = text
    .split('\n')
    .map((line) => line.trim())
    .filter((line, index, all) => line !== '' && !(index < all.length - 1 && line.endsWith(':')));
  const [first = ''] = lines;
  if (lines.length !== 1 || /^["“]?\s*[{[]/.test(first)) return { line: null, is: 'invalid' };
  const unlabelled = first.replace(LABEL, '').trim();
  const line = unlabelled.replace(QUOTED, '$1$2$3$4').trim();
  if (line.length < MIN_LINE_CHARACTERS || line.endsWith('?') || /^(?:yes|no)\b[.!]?$/i.test(line))
    return { line: null, is: 'not_a_fact' };
  return { line };
}
