import { toClauses } from './clauses.ts';
import { resolveDates } from './dates.ts';
import { contentWords } from './telling.ts';
import { toThirdPerson, type Speaker } from './third-person.ts';
import { toPastVerb, toThirdPersonVerb } from './verbs.ts';

/** Longer questions tell more than they ask. */
const MAX_TOPIC_WORDS = 22;

const AUXILIARY =
  "(?:are|were|have|had|will|would|can|could|should|aren't|haven't|weren't|wouldn't|couldn't|can't)";
const ADVERB = '(?:usually|ever|also|already|still|often|always|all|both|guys|normally|really|just|actually)';

type Row = readonly [RegExp, (groups: Readonly<Record<string, string | undefined>>) => string];

/** Word order of questions turned back: "how long have you kept bees" → "how long you have kept bees". */
const ROWS: readonly Row[] = [
  [
    /^what (?:kinds?|types?|sorts?) of (?<what>[\p{L} ]+?) do you (?!and\b)(?<verb>[\p{L}'-]+)(?! to\b)(?<rest>(?:[^\p{L}'-].*)?)$/iu,
    ({ what, verb, rest }) => `you ${verb} ${what}${rest}`,
  ],
  [
    new RegExp(
      `^(?<wh>.*?) ?\\bdid you (?<adv>(?:${ADVERB} )*)(?<verb>[\\p{L}'-]+)(?<rest>(?:[^\\p{L}'-].*)?)$`,
      'iu',
    ),
    ({ wh, adv, verb, rest }) => `${asked(wh)} you ${plain(adv)}${toPastVerb(verb ?? '')}${rest}`,
  ],
  [
    new RegExp(`^(?<wh>.*?) ?\\bdo you (?<rest>.+)$`, 'iu'),
    ({ wh, rest }) => `${asked(wh)} you ${plain(rest)}`,
  ],
  [
    new RegExp(`^(?<wh>.*?) ?\\b(?<aux>${AUXILIARY}) you (?<rest>.+)$`, 'iu'),
    ({ wh, aux, rest }) => `${asked(wh)} you ${aux?.toLowerCase()} ${plain(rest)}`,
  ],
  [
    /^(?<wh>.*?) ?\b(?<aux>do|does|did) (?<who>they|he|she|it|everyone|everybody|people|(?:the|your) [\p{L}'-]+(?= (?:say|go|look|feel|work|help|mean|come|end|start|begin|happen|take|get|like|react|turn)\b)) (?<verb>[\p{L}'-]+)(?<rest>(?:[^\p{L}'-].*)?)$/iu,
    ({ wh, aux, who, verb, rest }) => `${asked(wh)} ${who} ${afterAuxiliary(aux, verb)}${rest}`,
  ],
  [
    /^(?<wh>(?:what|which|how|where|when|why|who)\b.*?) you (?<rest>\p{L}{2,}ing\b.*)$/iu,
    ({ wh, rest }) => `${asked(wh)} you are ${rest}`,
  ],
  [/^been (?<rest>\p{L}{2,}ing\b.*)$/iu, ({ rest }) => `whether you have been ${rest}`],
  [
    /^(?<what>any(?:thing|one|body|where)?\b.+)$/i,
    ({ what }) => `whether there ${ANY_OF_MANY.test(what ?? '') ? 'are' : 'is'} ${asked(what)}`,
  ],
  [
    /^(?<wh>(?:what|which|how|where)\b.*?) (?:have )?you got (?<rest>.+)$/i,
    ({ wh, rest }) => `${asked(wh)} you have ${rest}`,
  ],
  [/^(?:you )?got (?<rest>(?:any|other|some|a|an)\b.+)$/i, ({ rest }) => `whether you have ${rest}`],
  [/^you (?!ever\b)(?<rest>.+)$/i, ({ rest }) => `whether you ${rest}`],
  [/^(?:you )?ever (?<rest>.+)$/i, ({ rest }) => `whether you have ever ${rest}`],
  [
    /^(?<aux>is|are|was|were) (?<what>this|that|it|these|those|they|there|your [\p{L}'-]+) (?<rest>.+)$/iu,
    ({ aux, what, rest }) => `whether ${what} ${aux?.toLowerCase()} ${rest}`,
  ],
  [
    /^(?<wh>(?:what|who|where|when|how|why|which)\b.*?) ?\b(?<aux>is|are|was|were) (?<what>your [\p{L}' -]+?|it|this|that|the [\p{L}' -]+?)(?<rest> (?:like|about|for|called|named|going|doing))?$/iu,
    ({ wh, aux, what, rest }) => `${asked(wh)} ${what} ${aux?.toLowerCase()}${rest ?? ''}`,
  ],
];

/** "any special plans", "any songs that …" */
const ANY_OF_MANY = /^any (?:\p{L}+ ){0,2}\p{L}*[^s\P{L}]s\b/iu;

/** The verb without its auxiliary: "did they like" → "they liked". */
function afterAuxiliary(auxiliary: string | undefined, verb = ''): string {
  if (auxiliary?.toLowerCase() === 'did') return toPastVerb(verb);
  return auxiliary?.toLowerCase() === 'does' ? toThirdPersonVerb(verb) : verb;
}

/** "guys" and "all" after `you` only address more people. */
function plain(words: string | undefined): string {
  return (words ?? '').replace(/^(?:(?:guys|all|both) )+/i, '');
}

/** What comes before the verb; a question without a question word asks whether. */
function asked(wh: string | undefined): string {
  const words = (wh ?? '').trim();
  return words === '' ? 'whether' : `${words.charAt(0).toLowerCase()}${words.slice(1)}`;
}

/** Asks to be told or shown something, whatever it is. */
const INVITATIONS =
  /^(?:care to|why (?:not|don't)|remember|did you know|guess|want to|wanna|(?:can|could|would|will) you (?:tell|show|share|send|mind|like to (?:see|hear))|(?:got )?any (?:pics|photos|tips|advice|thoughts|ideas)|anything (?:else )?(?:new|fun|exciting|interesting|cool)\b|mind|tell|any thoughts|what do you think|what is (?:up|new|going on)|how (?:is it going|are you(?: doing)?|about you|have you been))\b/i;

function statementOrder(question: string): string | null {
  for (const [pattern, build] of ROWS) {
    const groups = pattern.exec(question)?.groups;
    if (groups !== undefined) return build(groups);
  }
  return null;
}

export type Asked = { messageId: string; sentences: readonly string[]; by: Speaker; at: Date };

/** What a message answers, to be put before it. */
export type Topic = {
  text: string;
  /** Question and answer state something already. */
  complete: boolean;
  /** The message that asks. */
  messageId: string;
  /** Who asks, and in which words. */
  asked: string;
};

const YES =
  /^(?:(?:oh|well|hey|haha|wow|and),? )?(?:yes|yeah|yep|yup|yea|sure(?: (?:do|did|have|am))?|absolutely|definitely|of course|certainly|totally)\b/i;
const NO =
  /^(?:(?:oh|well|hey|haha|and),? )?(?:no|nope|nah|never|not (?:yet|really|at all))\b(?! (?:worries|problem|doubt|way))/i;
const WHETHER = /^whether /;
/** Other questions only state something: "Music is great, right?" */
const INTERROGATIVE =
  /\b(?:what|who|whose|which|when|where|why|how)\b|^(?:is|are|was|were|do|does|did|have|has|had|can|could|will|would|should|\p{L}+n't)\b/iu;

/** A question that can be answered by yes or no, as the statement that the answer makes of it. */
function answered(turned: string, answer: string): string | null {
  // A yes to "Did it hurt?" states nothing that stands alone.
  if (!/^whether (?!there\b).*\byour?s?\b/.test(turned)) return null;
  if (YES.test(answer)) {
    const stated = turned
      .replace(WHETHER, '')
      .replaceAll(/\b(?:ever|any) |,? (?:yet|already|at all)$/g, '')
      .replaceAll(/\bany(?=one|body|thing|where)/g, 'some');
    return stated;
  }
  return NO.test(answer) ? `${turned}: no` : null;
}

/**
 * What the last question of a message asks, turned into what is put before its answer: "What kind of art do
 * you make?" → "Ann makes art:", "Did you go?" answered by yes → "Ann went."; as a question where the words
 * cannot be turned round. Null when it asks nothing in particular ("How was it?").
 */
export function topicOf(
  { messageId, sentences, by, at }: Asked,
  answerer: Speaker,
  answer: string,
): Topic | null {
  for (const sentence of sentences.toReversed()) {
    const question = toClauses(sentence)
      .findLast(({ isQuestion }) => isQuestion)
      ?.text.replaceAll(/\bya\b/g, 'you');
    if (question === undefined || INVITATIONS.test(question)) continue;
    const words = question.split(' ').length;
    if (words < 3 || words > MAX_TOPIC_WORDS || contentWords(question) === 0) continue;
    const turned = statementOrder(question);
    if (turned === null && !INTERROGATIVE.test(question)) continue;
    const complete = turned === null ? null : answered(turned, answer);
    const { text } = resolveDates(complete ?? turned ?? question, at);
    const topic = toThirdPerson(text, by, false, answerer.inside).slice(0, -1);
    if (topic === '') continue;
    const end = complete !== null ? '.' : turned === null ? '?' : ':';
    const asked = `${by.start} asked: ${question}?`;
    return { text: `${topic}${end}`, complete: complete !== null, messageId, asked };
  }
  return null;
}
