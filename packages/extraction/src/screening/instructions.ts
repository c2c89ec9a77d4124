import { holdsControlToken } from '@factmill/contracts';
import { readingsOf } from './plain-form.ts';

/** Phrases of attacks, in plain form. Each group is one way to give orders to a reader. */
const OVERRIDE =
  /\b(?:ignore|disregard|forget|override|bypass|drop|skip)\b[^.!?\n]{0,40}\b(?:instructions?|rules?|prompts?|guidelines?|directives?|polic(?:y|ies)|constraints?|safeguards?|filters?|the (?:above|foregoing)|(?:everything|all|anything)(?: that is| written)? (?:above|before|prior))\b/;
/** The same without the spaces between its words. */
const OVERRIDE_SQUEEZED =
  /(?:ignore|disregard|forget|override|bypass)(?:all|any|the|your|my|these|those|of){0,3}(?:previous|prior|above|earlier|preceding|existing|safety|system|other){0,2}(?:instruction|rule|prompt|guideline|directive|safeguard|filter)/;
/** The same in German, French, Spanish, Portuguese, Italian and Chinese. */
const OVERRIDE_ELSEWHERE =
  /\b(?:ignorier\w*|missacht\w*|vergiss|vergessen sie|ignorez|oubliez|oublie|ignora|ignore|olvida|esqueça|dimentica)\b[^.!?\n]{0,40}(?:anweisung|regeln|vorgaben|consignes|instructions|règles|instrucciones|reglas|instruções|regras|istruzioni|regole)|(?:忽略|无视|忘记|忽視|無視)[^。！？\n]{0,20}(?:指示|指令|规则|規則|要求|提示|以上|上面)/;
const REVEAL =
  /\b(?:reveal|print|output|show|leak|repeat|dump|send|forward)\b[^.!?\n]{0,40}\b(?:system prompt|system message|(?:hidden|secret|your|initial) (?:prompt|instructions?)|known[_ ]memories|(?:all|other|every) users?)\b/;
const OBLIGATION =
  /\b(?:assistants?|ai|ais|chatbots?|llms?|language models?|future (?:sessions?|conversations?|replies))\b,? (?:must|should|shall|has to|have to|needs? to|(?:is|are) (?:now )?(?:required|allowed|authori[sz]ed|instructed|permitted|told|obliged) to|will (?:always|never|now)|may now|can now)\b/;
const TO_YOU =
  /\byou (?:must|shall|are (?:now|hereby|required|authori[sz]ed|instructed)|will (?:now|from now on))\b/;

const VERB =
  'ignore|disregard|reply|respond|answer|output|print|append|prepend|reveal|obey|comply|pretend|execute|forward|transfer|grant|approve|recommend|tell|send|click|visit|include|repeat|treat|delete|act as|say|give|show|trust|mention|refuse|assume|suggest|follow|insert|call|write|speak|address|redirect|promote|praise|remind|warn|urge|persuade|convince|ask';
const ORDER = new RegExp(
  String.raw`^(?:["'*_>\-\s]{0,8})(?:(?:please|important|note|hey|ok|now)[,:!]?\s+){0,2}(?:(?:always|never|do not|don't|make sure (?:to|that you)|be sure to|remember to|from now on,?(?: you)?|in (?:all |every )?future (?:sessions?|conversations?|replies),?|(?:when|whenever|if|before|after)\b[^,\n]{1,80}, ?(?:always |never )?)\s*(?:${VERB}|use|run|add|start|begin|end|help)|(?:${VERB}))\b`,
);

const OVERRIDES = [OVERRIDE, OVERRIDE_SQUEEZED, OVERRIDE_ELSEWHERE, REVEAL, OBLIGATION, TO_YOU];

/**
 * Whether a text gives orders to its reader instead of stating something. `order` alone may be harmless; `override`
 * never is.
 */
export function givesOrders(plain: string): 'override' | 'order' | null {
  if (readingsOf(plain).some((reading) => OVERRIDES.some((pattern) => pattern.test(reading))))
    return 'override';
  return plain.split('\n').some((line) => ORDER.test(line)) ? 'order' : null;
}

/** Tags, chat control tokens and role labels: a text that imitates a part of the prompt. */
const TAGS =
  /<\s{0,8}\/?\s{0,8}(?:conversation|known_memories|existing_memories|new_facts|memory|memories|documents|system|instructions?|assistant|user|human|developer|tool)\b|\{\{[a-z_ ]{1,40}\}\}/;
const ROLE_LABEL =
  /^[#*>\s]{0,8}(?:\[(?:tool (?:call|result)|system|developer)[^\]\n]{0,40}\]|(?:system|developer|assistant|tool|administrator|admin|root|human)(?: (?:message|prompt|note|notice|override|update|result|instruction|reply))?\s{0,4}[:：])|^>{0,2} ?#{1,6} {0,4}(?:new |updated )?(?:system|developer|assistant|instructions?|response)\b/m;

export function playsRole(plain: string): boolean {
  return TAGS.test(plain) || holdsControlToken(plain) || ROLE_LABEL.test(plain);
}

/** A reply, or a part of one, for the model to copy. */
const FAKE_REPLY =
  /["']?\b(?:facts|memories|context|event)\b["']?\s{0,4}:\s{0,4}[[{]|"(?:key|category)"\s{0,4}:\s{0,4}"/;
const FORM_ORDER =
  /\b(?:output|reply|respond|answer|return)\b[^.!?\n]{0,30}\b(?:json|exactly|only with|the following|verbatim)\b|\b(?:decode|decrypt|rot13|base64|un-?scramble)\b|\b(?:act as|pretend (?:to be|you are|that you)|role-?play|you are (?:now|no longer))\b|\b(?:save|store|write|add|put|record)\b[^.!?\n]{0,40}\b(?:in(?:to)?|to|as) (?:the |your |long-?term |permanent )*memor(?:y|ies)\b[^.!?\n]{0,40}\b(?:other|all|every|admin|system|user (?:id|named|called))\b/;
/** Whether a text holds data that only a machine can read. */
function holdsBlob(plain: string): boolean {
  return (plain.match(/[\w+/]{40,}/g) ?? []).some((run) => /\d/.test(run) && /[a-z]/.test(run));
}

const ATTACKS = [OVERRIDE, OVERRIDE_SQUEEZED, OVERRIDE_ELSEWHERE, REVEAL];

/** Whether a sentence of the conversation tries to take over the extraction, so that it is no evidence. */
export function attacksExtraction(plain: string): boolean {
  return (
    readingsOf(plain).some((reading) => ATTACKS.some((pattern) => pattern.test(reading))) ||
    playsRole(plain) ||
    FAKE_REPLY.test(plain) ||
    FORM_ORDER.test(plain) ||
    holdsBlob(plain)
  );
}
