import { MAX_VALUE_CHARACTERS } from './read-items.ts';
import { readRefusal } from './refusal.ts';

const MIN_LINE_CHARACTERS = 10;
const NOTHING = /^(?:none|nothing|null|n\/a|no (?:new )?(?:facts|memories))$/i;
const LABEL =
  /^(?:[-*•>]\s+|\d{1,2}[.)]\s+|(?:the |single |final |my )?(?:fact|memory|answer|reply|response|result|output)\s*[:：]\s*)/i;
/** Emphasis around the label or the whole line. */
const LABEL_EMPHASIS = /^(\*\*|__|\*|_)([^*_]{1,40}?[:：]?)\1(?=[:：\s])/;
const QUOTED =
  /^(?:"([^"]*)"|“([^”]*)”|'([^']*)'|`([^`]*)`|«([^»]*)»|「([^」]*)」|\*\*([^*]*)\*\*|__([^_]*)__)$/;
/** Maximum of layers removed around a line: a bullet, a label, quotes, emphasis. */
const MAX_LAYERS = 6;

/** Whether a text only says that there is nothing to remember. */
export function isNothing(text: string): boolean {
  const bare = text.length > 40 ? '' : text.replaceAll(/["'`*.!\s]+/g, ' ').trim();
  return NOTHING.test(bare);
}

/** The statement without bullets, labels, quotes and emphasis around it. */
function unwrapLine(given: string): string {
  let line = given;
  for (let layer = 0; layer < MAX_LAYERS; layer += 1) {
    const bare = line
      .replace(LABEL_EMPHASIS, '$2')
      .replace(LABEL, '')
      .trim()
      .replace(QUOTED, '$1$2$3$4$5$6$7$8')
      .trim();
    if (bare === line) return line;
    line = bare;
  }
  return line;
}

/**
 * Reads a reply that is one line or NOTHING (B4): the statement, without a bullet, label or quotes around it;
 * `nothing` when it contains that word; `not_a_fact` when it is shorter than 10 characters, just yes or no, or a
 * question; `refusal` when the model declines; `invalid` when it is empty, several lines, or an apology. A first
 * line that ends with a colon is ignored.
 */
export function readLine(
  text: string,
): { line: string } | { line: null; is: 'nothing' | 'not_a_fact' | 'refusal' | 'invalid' } {
  if (text.trim() === '') return { line: null, is: 'invalid' };
  const refusal = readRefusal(text);
  if (refusal !== 'no') return { line: null, is: refusal === 'yes' ? 'refusal' : 'invalid' };
  if (/nothing/i.test(text) || isNothing(text)) return { line: null, is: 'nothing' };
  if (text.length > MAX_VALUE_CHARACTERS) return { line: null, is: 'invalid' };
  const lines = text
    .split('\n')
    .map((line) => line.trim())
    .filter((line, index, all) => line !== '' && !(index < all.length - 1 && line.endsWith(':')));
  const [first = ''] = lines;
  if (lines.length !== 1 || /^["“]?\s*[{[]/.test(first)) return { line: null, is: 'invalid' };
  const line = unwrapLine(first);
  if (line.length < MIN_LINE_CHARACTERS || line.endsWith('?') || /^(?:yes|no)\b[.!]?$/i.test(line))
    return { line: null, is: 'not_a_fact' };
  return { line };
}
