import type { ParsedResult } from 'chrono-node/en';
import { isParticiple, isPastForm } from './verbs.ts';

/** On which side of now a date is; null: its words leave that open. */
export type Tense = 'past' | 'future' | null;

const PAST =
  /\b(?:was|were|did|had|went|got|came|saw|met|took|made|ran|won|bought|began|left|gave|found|(?!(?:re)?scheduled|planned|booked|(?:need|indeed|speed|feed)\b)(?<!\b(?:am|is|are|be|feel|feeling|get|getting) (?:\p{L}{2,10} )?)\p{L}{2,}ed)\b/gu;
const FUTURE =
  /\b(?:will|may|might|(?:re)?scheduled|planned|booked|due|deadline|(?:ends|starts|begins|targets|opens|closes|expires|leaves|departs|arrives|lands|turns|graduates|retires)(?= )|going to|(?:have|has|need|needs) to|must|plan|plans|planning|next|upcoming|tomorrow|moving|(?<!\b(?:after|since|from|before) )getting|looking forward|hope|hoping|want|(?:am|is|are) (?!(?:feeling|trying|struggling|wondering|using|doing)\b)\p{L}+ing)\b/gu;

/** "Wants it by Friday" and "moved to the 3rd" speak of a day to come. */
const UNTIL = /\b(?:by|until|till|due)(?: (?:on|the|in))*\s*$/i;
const MOVED =
  /\b(?:moved|pushed|postponed|rescheduled|shifted|changed)\b[^,;]{0,60} (?:from|to|until)(?: the)?\s*$/i;

/** "We decided to move, starting in September" */
const TO_START = /\b(?:to|will) \p{Ll}[^;]{0,80}\b(?:starting|beginning)(?: (?:on|in))?(?: the)?\s*$/iu;

/** "I bought tickets for Hamlet on 3 March" */
const BOOKED =
  /\b(?:bought|booked|reserved)\b[^,;]*\b(?:tickets?|flights?|seats?|table|room|hotel|appointment)\b[^,;]* (?:for|to) [^,;]*$/i;

/** These are present forms too. */
const AMBIGUOUS_PAST =
  /^(?:set|cut|shut|split|spread|cast|hurt|hit|quit|burst|broadcast|shed|upset|lay|rose)$/;

/** Where the last past form of a text begins; -1 where it has none. */
function lastPast(text: string): number {
  const irregular = [...text.matchAll(/[\p{L}']+/gu)].findLast(([word]) => {
    const lower = word.toLowerCase();
    return !lower.endsWith('ed') && !AMBIGUOUS_PAST.test(lower) && isPastForm(lower);
  });
  return Math.max(lastIndex(text, PAST), irregular?.index ?? -1);
}

function lastIndex(text: string, pattern: RegExp): number {
  return [...text.matchAll(pattern)].at(-1)?.index ?? -1;
}

/** After these a date is the nearest, whatever the verb: "I made a plan for June 3rd", "after Ann's May 20 visit". */
const NEAREST = /(?:\b(?:starting|beginning|until|till|by|due|for)(?: (?:on|the|in))*|\p{L}'s)\s*$/iu;

/** Of the verbs before a date the last one says on which side of now it is; without any, those after it do. */
export function tenseAt(text: string, index: number): Tense {
  const before = text.slice(0, index);
  if (MOVED.test(before) || BOOKED.test(before) || TO_START.test(before)) return 'future';
  if (NEAREST.test(before)) return UNTIL.test(before) && lastPast(before) < 0 ? 'future' : null;
  if (/\bsince (?:the )?$/i.test(before)) return 'past';
  const past = lastPast(before);
  const future = lastIndex(before, FUTURE);
  if (past !== future) return future > past ? 'future' : 'past';
  const after = text.slice(index);
  return after.search(FUTURE) >= 0 ? 'future' : lastPast(after) >= 0 ? 'past' : null;
}

/** A present verb, or a subject that one follows. */
const IS_SO =
  /\b(?:is|are|am|have|has)\b|^(?:I|we|they)\b|^(?:my|our|the|she|he|it)\b.{0,40} \p{Ll}{2,20}[^s\P{L}]s\b/iu;

/** "Have flown": what was, beside the past forms of `verbs.ts`. */
const PERFECT =
  /\b(?:have|has)(?: [a-z]+ly| just| already| not| never)? (?!children|women|chicken|kitchen|garden)(?:been|seen|met|come|run|become|\p{L}{2,}(?:[^v]en|wn|one|ung|unk))\b/iu;

/** "My exam is on Friday", "I fly on Sunday": of a day near now, the one to come. */
function speaksOfPresent(text: string): boolean {
  if (!IS_SO.test(text) || lastPast(text) >= 0) return false;
  return !text
    .toLowerCase()
    .split(/[^\p{L}']+/u)
    .some((word) => isParticiple(word));
}

/** Before a day that was: "a bruise from the match on Saturday"; but "in the last week of June". */
const OF_PAST =
  /\b(?:from|since|after)\b[^,;]*$|(?<!\b(?:week|weekend|half|end|middle|start|beginning) )\bof (?:the )?$/i;

/** On which side of now the date is that the parser found. */
export function tenseOf(text: string, { index, start }: ParsedResult): Tense {
  const tense = tenseAt(text, index);
  const before = text.slice(0, index);
  if (tense !== null || NEAREST.test(before) || OF_PAST.test(before)) return tense;
  if (PERFECT.test(before)) return 'past';
  // "I am worried about her concern on 8 May"
  if (start.isCertain('month') && /\babout\b[^,;]*$/i.test(before)) return null;
  const isNamed = start.isCertain('weekday') || start.isCertain('month');
  return isNamed && speaksOfPresent(text) ? 'future' : null;
}
