import { meaningfulWords } from '../attribution.ts';
import { normaliseKey } from '../content-hash.ts';
import type { Preset } from '../presets/preset.ts';
import type { RawCandidate } from '../types.ts';
import { coverage, type Evidence } from './evidence.ts';
import { givesOrders, playsRole } from './instructions.ts';
import { hasMarkup, linkedHosts } from './links.ts';
import { plainForm } from './plain-form.ts';
import { holdsSecret } from './secrets.ts';

/** Why an item is refused: stable words that are counted in the ledger's `rejected`. */
export type ScreeningRefusal =
  | 'secret'
  | 'markup'
  | 'unsupported_link'
  | 'instruction'
  | 'plays_role'
  | 'about_assistant'
  | 'about_others'
  | 'unsupported_privilege'
  | 'not_from_user'
  | 'from_attack';

export type Screening = {
  refusal: ScreeningRefusal | null;
  /** Nothing in it is found in what users said: paraphrase at best. */
  unsupported: boolean;
};

/** From this share of its words on, a statement counts as said. */
const SAID = 0.5;
/** Below this share, and said by somebody else, it counts as not said by the user. */
const HARDLY_SAID = 0.3;

/** What user and assistant work out together may be in the assistant's words; what the user is, may not. */
const WORK_CATEGORIES = new Set(['config', 'decision', 'solution', 'event', 'conversation', 'temp', 'debug']);
const TOOL_SOURCES = new Set(['tool_call', 'auto_discovery']);

const ABOUT_ASSISTANT =
  /^(?:the |this |your )?(?:ai |virtual |chat ?)?(?:assistant|chatbot|language model|llm|bot)(?:'s)? /;
const ASSISTANT_KEY =
  /^(?:assistant|ai|bot|chatbot|model)_(?:name|role|identity|persona|version|instructions?)$/;
const ABOUT_OTHERS =
  /\b(?:for|of|about|to|from|as) (?:all|every|each|any|other|another) (?:users?|tenants?|accounts?)\b|^(?:all|every|each|any|other) (?:users?|tenants?|accounts?)\b|\b(?:user|tenant)[ _]id:? ["']?[\w-]{0,40}\d/;
const PRIVILEGE =
  /\b(?:admin(?:istrator)?|root|superuser|sudo|privileged|elevated|unrestricted|unlimited|full)\b[^.!?\n]{0,20}\b(?:access|rights?|privileges?|permissions?|mode|account|status|credentials?)\b|\b(?:is|as) (?:an? |the )?(?:\w+ )?(?:admin(?:istrator)?|root|superuser)\b|\b(?:is|are|was) (?:authori[sz]ed|permitted|allowed|verified|exempt(?:ed)?) (?:to|for|as|from|by)\b/;
const PRIVILEGE_KEY = /^(?:is_admin|user_role|access_level|permissions?|privileges?|clearance)$/;

function textsOf(item: RawCandidate): string[] {
  return [
    item.key?.replaceAll('_', ' '), item.value, item.content, item.question, item.answer, item.sourceContext, item.category,
    item.project, item.topic, ...item.tags,
  ].filter((text) => typeof text === 'string'); // prettier-ignore
}

/** What the item says, less how it names it. */
function statementsOf(item: RawCandidate): string[] {
  return [item.value, item.answer, item.content].filter((text) => text !== null);
}

/** Whether somebody else said it, and users hardly did. */
function isSaidByOthers(item: RawCandidate, words: ReadonlySet<string>, evidence: Evidence): boolean {
  if (item.kind === 'event' || WORK_CATEGORIES.has(item.category ?? '')) return false;
  if (coverage(words, evidence.user) >= HARDLY_SAID) return false;
  const source = item.source === null ? '' : normaliseKey(item.source);
  if (TOOL_SOURCES.has(source) && coverage(words, evidence.tools) > 0) return false;
  return coverage(words, evidence.assistant) >= SAID || coverage(words, evidence.tools) >= SAID;
}

/**
 * Judges one item of a reply as the work of a model that may have obeyed somebody else than us. Refused is what bears
 * the mark of an attack; that its words are not the user's is none by itself, because models paraphrase.
 */
export function screenItem(item: RawCandidate, evidence: Evidence, preset: Preset): Screening {
  const raw = textsOf(item);
  const plain = raw.map((text) => plainForm(text));
  const statements = statementsOf(item).map((text) => plainForm(text));
  const words = meaningfulWords(statements.join('\n'));
  const said = coverage(words, evidence.user);
  const key = item.key === null ? null : normaliseKey(plainForm(item.key));
  const naming = meaningfulWords(plainForm([item.key?.replaceAll('_', ' '), item.question].join(' ')));
  const unsupported = said === 0 && coverage(naming, evidence.user) === 0;
  const refused = (refusal: ScreeningRefusal): Screening => ({ refusal, unsupported });

  const isSecret = holdsSecret({
    key,
    question: item.question === null ? null : plainForm(item.question),
    plain: plain.join('\n'),
    raw: raw.join('\n'),
  });
  const keepsSecret = preset.keepsCredentials && item.category === 'credential' && said >= SAID;
  if (isSecret && !keepsSecret) return refused('secret');
  if (raw.some((text) => hasMarkup(text))) return refused('markup');
  if (plain.some((text) => playsRole(text))) return refused('plays_role');
  if (statements.some((text) => ABOUT_ASSISTANT.test(text)) || (key !== null && ASSISTANT_KEY.test(key)))
    return refused('about_assistant');
  if (plain.some((text) => ABOUT_OTHERS.test(text))) return refused('about_others');

  const orders = plain.map((text) => givesOrders(text));
  if (orders.includes('override')) return refused('instruction');
  // A wish that the user has and that is kept under a key reads like an order: `style: always use tabs`.
  const isOwnWish = key !== null && item.content === null && said >= SAID;
  if (orders.includes('order') && !isOwnWish) return refused('instruction');

  if ([...linkedHosts(raw.join('\n'))].some((host) => !evidence.hosts.has(host)))
    return refused('unsupported_link');
  const claimsPrivilege =
    statements.some((text) => PRIVILEGE.test(text)) || (key !== null && PRIVILEGE_KEY.test(key));
  if (claimsPrivilege && said < SAID) return refused('unsupported_privilege');
  if (isSaidByOthers(item, words, evidence)) return refused('not_from_user');
  // In a conversation that is under attack a statement needs users' own words, and more of them than the attack's.
  const inAttack = coverage(words, evidence.attack);
  if (evidence.attack.size > 0 && said < SAID && (inAttack > said || said === 0))
    return refused('from_attack');
  return { refusal: null, unsupported };
}
