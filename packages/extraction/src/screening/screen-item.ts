import { meaningfulWords } from '../attribution.ts';
import { normaliseKey } from '../content-hash.ts';
import type { Preset } from '../presets/preset.ts';
import type { RawCandidate } from '../types.ts';
import { coverage, type Evidence } from './evidence.ts';
import { linkedHosts } from './links.ts';
import { type Mark, markOf } from './marks.ts';
import { plainForm } from './plain-form.ts';
import { claimedPrivilege } from './privileges.ts';

/** Why an item is refused: stable words, counted in the ledger's `rejected`. */
type ScreeningRefusal = Mark | 'unsupported_link' | 'unsupported_privilege' | 'not_from_user' | 'from_attack';

export type Screening = {
  refusal: ScreeningRefusal | null;
  /** None of its words occurs in user messages: a paraphrase at best. */
  unsupported: boolean;
};

/** From this share of its words on, a statement counts as the user's. */
const SAID = 0.5;
/** Below this share a statement found in others' words does not count as the user's. */
const HARDLY_SAID = 0.3;

/** Results of joint work may be in the assistant's words; facts about the user may not. */
const WORK_CATEGORIES = new Set(['config', 'decision', 'solution', 'event', 'conversation', 'temp', 'debug']);
const TOOL_SOURCES = new Set(['tool_call', 'auto_discovery']);

function textsOf(item: RawCandidate): string[] {
  return [
    item.key?.replaceAll('_', ' '), item.value, item.content, item.question, item.answer, item.sourceContext, item.category,
    item.project, item.topic, ...item.tags,
  ].filter((text) => typeof text === 'string'); // prettier-ignore
}

/** The item's statements, without its names. */
function statementsOf(item: RawCandidate): string[] {
  return [item.value, item.answer, item.content].filter((text) => text !== null);
}

/** Whether others said it, and users hardly did. */
function isSaidByOthers(item: RawCandidate, words: ReadonlySet<string>, evidence: Evidence): boolean {
  if (item.kind === 'event' || WORK_CATEGORIES.has(item.category ?? '')) return false;
  if (coverage(words, evidence.user) >= HARDLY_SAID) return false;
  const source = item.source === null ? '' : normaliseKey(item.source);
  if (TOOL_SOURCES.has(source) && coverage(words, evidence.tools) > 0) return false;
  return coverage(words, evidence.assistant) >= SAID || coverage(words, evidence.tools) >= SAID;
}

/**
 * Judges one item of a reply, in case the model obeyed instructions in the conversation. Marks of an attack are
 * refused. Words other than the user's are no reason, because models paraphrase.
 */
export function screenItem(item: RawCandidate, evidence: Evidence, preset: Preset): Screening {
  const raw = textsOf(item);
  const stated = statementsOf(item);
  const statements = stated.map((text) => plainForm(text));
  const words = meaningfulWords(statements.join('\n'));
  const said = coverage(words, evidence.user);
  const key = item.key === null ? null : normaliseKey(plainForm(item.key));
  const naming = meaningfulWords(plainForm([item.key?.replaceAll('_', ' '), item.question].join(' ')));
  const unsupported = said === 0 && coverage(naming, evidence.user) === 0;
  const refused = (refusal: ScreeningRefusal): Screening => ({ refusal, unsupported });

  const mark = markOf(
    { raw, statements: stated, key, question: item.question },
    {
      secret: preset.keepsCredentials && item.category === 'credential' && said >= SAID,
      // A user's wish under a key reads like an order: `style: always use tabs`.
      order: key !== null && item.content === null && said >= SAID,
    },
  );
  if (mark !== null) return refused(mark);
  if ([...linkedHosts(raw.join('\n'))].some((host) => !evidence.hosts.has(host)))
    return refused('unsupported_link');
  const claim = claimedPrivilege(key, statements);
  // In `is_admin: true` the key is the statement.
  const tells = item.value === null || !/^(?:true|yes)$/i.test(item.value);
  if (claim !== null && ((tells && said < SAID) || coverage(claim, evidence.user) < SAID))
    return refused('unsupported_privilege');
  if (isSaidByOthers(item, words, evidence)) return refused('not_from_user');
  // In a conversation under attack, a statement needs more words from users than from the attack.
  const inAttack = coverage(words, evidence.attack);
  if (evidence.attack.size > 0 && said < SAID && (inAttack > said || said === 0))
    return refused('from_attack');
  return { refusal: null, unsupported };
}
