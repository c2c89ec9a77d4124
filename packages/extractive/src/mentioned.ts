import { MONTHS } from './date-grain.ts';
import { WORD_LISTS } from './word-lists.ts';

const EVENT =
  '(?:interview|appointment|exams?|tests?|finals|wedding|birthday|anniversary|party|flight|surgery|operation|presentation|recital|concert|performance|graduation|funeral|ceremony|marathon|race|tournament|trip|vacation|holiday|move|deadline|meeting|review|defen[cs]e|audition|conference|reunion|baby shower|due date|check-?up)';
const DAY = '(?:mon|tues|wednes|thurs|fri|satur|sun)day';
const MONTH = `(?:${MONTHS.join('|')})`;
const WHEN = `(?:tomorrow|(?:on |this |next |this coming )?${DAY}(?: (?:morning|afternoon|evening|night))?|(?:on )?(?:the )?\\d{1,2}(?:st|nd|rd|th)? (?:of )?${MONTH}|(?:on )?${MONTH} \\d{1,2}(?:st|nd|rd|th)?|in ${MONTH}|next (?:week|month))`;

/** "Help me prepare for my interview at Siemens next Thursday": when it is. */
const DATED_EVENT = new RegExp(
  `\\b(?<what>(?:my|our) (?:(?!and |or )[\\p{L}\\d'’-]{1,20} ){0,3}?${EVENT}(?: (?:at|with|in|for) [\\p{L}\\d'’& -]{2,30}?)?) (?<when>${WHEN})(?=[\\s.,!?]|$)`,
  'iu',
);

/** "A card for my sister Ana", "my landlord, Mr. Osei,": who it is. */
const NAMED_PERSON = new RegExp(
  `\\b(?<who>(?:my|our) (?:${WORD_LISTS['relation']}|landlord|landlady|doctor|dentist|professor|supervisor|advisor)),? (?<name>(?:(?:Mr|Mrs|Ms|Dr|Prof)\\.? )?\\p{Lu}[\\p{L}'’-]{1,30})(?=[\\s.,!?]|$)(?! and\\b|'s\\b|’s\\b)`,
  'u',
);
const NO_NAME = new RegExp(
  `^(?:I|${DAY}|${MONTH}|Christmas|Easter|Thanksgiving|English|Spanish|French|German)\\b`,
  'i',
);

/** What a request mentions of the speaker's life beside what it asks for, as first-person clauses. */
export function mentionedIn(request: string): string[] {
  const event = DATED_EVENT.exec(request)?.groups;
  const person = NAMED_PERSON.exec(request)?.groups;
  const name = person?.['name'] ?? '';
  return [
    ...(event === undefined ? [] : [`${event['what']} is ${event['when']}`]),
    ...(person === undefined || NO_NAME.test(name) ? [] : [`${person['who']} is ${name}`]),
  ].map((clause) => clause.replace(/^(?:My|Our)\b/, (word) => word.toLowerCase()));
}
