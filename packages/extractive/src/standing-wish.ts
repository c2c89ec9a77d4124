import { QUOTATION } from './clean-text.ts';
import { mentionsSecret } from './refusals.ts';
import { ofReplies, wishOfAssistant, wishOfForm } from './wish-forms.ts';

/** Longer messages are pasted, and what they ask for is not what the user asks for. */
const MAX_MESSAGE_CHARACTERS = 400;
const MAX_SENTENCE_CHARACTERS = 250;

/** How replies are to be; what else somebody could be made to do is no preference. */
const MANNER =
  'include|use|provide|give|add|mention|cite|format|explain|show|list|write|keep|suggest|recommend|convert|remind|ask|check|refer|describe|specify|note|spell|put|avoid|summari[sz]e|highlight|compare|report|present|structure|break|offer|prefer|prioriti[sz]e|state|round|quote|confirm|clarify|illustrate|detail|link|leave|skip|stick|consider|focus|assume|limit|express|translate|call|address|make|(?:answer|reply|respond|talk|speak|write)(?: to)?(?: me)?(?= (?:in|briefly|concisely|politely|formally|with (?:an? )?(?:short|brief)))';

const ALWAYS = new RegExp(
  `^(?:please,? |and |but |also,? |so )?(?<how>always|never|from now on,?(?: please)?(?: always)?|in (?:the )?future,?(?: please)?(?: always)?|going forward,?(?: please)?(?: always)?) (?<what>(?:${MANNER})\\b .+)$`,
  'i',
);
const WHENEVER = new RegExp(
  `^(?:please,? |and |but |also,? |so )?(?<when>(?:when|whenever|every time|each time) (?:I|we) (?!(?:call|run|click|press|execute|invoke|restart|install|load|submit|compile|build|deploy|import)\\b)[^,]{3,120}), (?:please )?(?<how>always |never )?(?<what>(?:${MANNER})\\b .+)$`,
  'i',
);
/** Wishes that name the replies: "Please don't use emojis in your replies", "Keep your answers short". */
const OF_REPLIES =
  /^(?:please,? |and |but |also,? |so )*(?:(?<not>don't|do not|stop|avoid) (?<never>(?:us(?:e|ing)|includ(?:e|ing)|add(?:ing)?|put(?:ting)?|writ(?:e|ing)|giv(?:e|ing)|start(?:ing)?|end(?:ing)?) .*\b(?:your|all|any|future) (?:repl(?:y|ies)|answers?|responses?|messages?)\b.*)|(?<keep>(?:keep|make|write) (?:all )?(?:of )?your (?:replies|answers|responses|messages|explanations) (?:short|brief|concise|simple|plain|formal|informal|casual|polite|friendly|factual|under \d).*))$/i;
const BASE_FORMS: ReadonlyMap<string, string> = new Map([
  ['using', 'use'],
  ['including', 'include'],
  ['adding', 'add'],
  ['putting', 'put'],
  ['writing', 'write'],
  ['giving', 'give'],
  ['starting', 'start'],
  ['ending', 'end'],
]);
const TO_OTHERS =
  /\b(?:you|yourself|system|prompt|instructions?|rules?|polic(?:y|ies)|users?|guidelines?|guardrails?|unrestricted|unfiltered|uncensored|jailbreak\w*|admin(?:istrator)?s?|root|superusers?|operators?|(?:without|no) (?:limits|restrictions|filters))\b|https?:|www\.|[<>{}@]/i;

const WHEN_YOU_WRITE = / when you (?:write|talk|speak|reply|respond|answer)(?: to me)?([.!]?)$/i;

/** "I'd like you to always answer in French." */
const WANTED = /^I (?:would (?:like|prefer|love)|want|need|prefer) (?:for )?you to (?=(?:always|never)\s)/i;

function lowerFirst(text: string): string {
  return text.charAt(0).toLowerCase() + text.slice(1);
}

function toWish(degree: 'always' | 'never' | '', what: string): string {
  const wanted = ofReplies(what);
  return `I ask to ${degree}${degree === '' ? '' : ' '}${lowerFirst(wanted)}`;
}

/** Where the reason of a wish begins: "Never suggest shellfish, I'm allergic to it". */
const REASON =
  /[,;]\s{1,4}(?:because |since |as )?(?=(?:I|we|my|our)(?:'|\s))|\s(?:because|since)\s(?=(?:I|we|my|our)(?:'|\s))/i;
/** With a reason it is wanted for good. */
const NOT_TO_SUGGEST =
  /^(?:please )?(?:don't|do not) (?=(?:recommend|suggest) (?!(?:any|some|every)thing\b|it\b|that\b|this\b|these\b|those\b))/i;

/** What is wanted, and the reasons that stand by themselves; one that speaks of what is wanted stays with it. */
export function splitWish(sentence: string): { wanted: string; reasons: string[] } {
  const [, ...reasons] = sentence.split(REASON);
  if (reasons.length === 0) return { wanted: sentence, reasons };
  const whole = sentence.replace(NOT_TO_SUGGEST, 'never ');
  if (reasons.some((reason) => /\b(?:it|them|this|that|these|those)\b/i.test(reason)))
    return { wanted: whole, reasons: [] };
  return { wanted: whole.split(REASON)[0] ?? whole, reasons };
}

/**
 * What a user wants of every reply, as a first-person clause: "Always use metric units when I ask about recipes" → "I
 * ask to always use metric units when I ask about recipes". Null for other sentences, and in long messages.
 */
export function standingWishOf(said: string, message: string): string | null {
  const sentence = said.replace(WANTED, '').replace(WHEN_YOU_WRITE, ' in replies$1');
  if (message.length > MAX_MESSAGE_CHARACTERS || said.length > MAX_SENTENCE_CHARACTERS) return null;
  if (sentence.includes(QUOTATION) || mentionsSecret(sentence)) return null;
  const ofAssistant = sentence.endsWith('?') ? null : wishOfAssistant(said);
  if (ofAssistant !== null && !TO_OTHERS.test(ofAssistant)) return ofAssistant;
  const form = wishOfForm(said);
  const ofForm = form === null ? null : ofReplies(form);
  if (ofForm !== null && !TO_OTHERS.test(ofForm)) return ofForm;
  if (sentence.endsWith('?') || TO_OTHERS.test(sentence)) return null;
  const { never, keep } = OF_REPLIES.exec(said)?.groups ?? {};
  if (never !== undefined)
    return toWish(
      'never',
      never.replace(/^\S+/, (verb) => BASE_FORMS.get(verb) ?? verb),
    );
  if (keep !== undefined) return toWish('always', keep);
  const { how = '', what, when } = ALWAYS.exec(sentence)?.groups ?? WHENEVER.exec(sentence)?.groups ?? {};
  if (what === undefined) return null;
  const degree = /never/i.test(how) ? 'never' : /always|from|future|going/i.test(how) ? 'always' : '';
  const wish = toWish(degree, what);
  return when === undefined ? wish : `${wish.replace(/(?<![\s.!])[\s.!]+$/, '')} ${lowerFirst(when)}`;
}
