import { QUOTATION } from './clean-text.ts';
import { mentionsSecret } from './refusals.ts';
import { wishOf } from './wish-forms.ts';

/** Longer messages are pasted, and what they ask for is not what the user asks for. */
const MAX_MESSAGE_CHARACTERS = 400;
const MAX_SENTENCE_CHARACTERS = 250;

/** What is no wish for replies but an order about others, or for more than a user may. */
const TO_OTHERS =
  /\b(?:you|yourself|system|prompt|instructions?|rules?|polic(?:y|ies)|users?|guidelines?|guardrails?|unrestricted|unfiltered|uncensored|jailbreak\w*|admin(?:istrator)?s?|root|superusers?|operators?|(?:without|no) (?:limits|restrictions|filters))\b|https?:|www\.|[<>{}@]/i;

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
export function standingWishOf(sentence: string, message: string): string | null {
  if (message.length > MAX_MESSAGE_CHARACTERS || sentence.length > MAX_SENTENCE_CHARACTERS) return null;
  if (sentence.includes(QUOTATION) || mentionsSecret(sentence)) return null;
  const wish = wishOf(sentence);
  return wish === null || TO_OTHERS.test(wish) ? null : wish;
}
