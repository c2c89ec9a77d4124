import type { ParsedResult } from 'chrono-node/en';
import { addDays, atHour, type Grain, grainOf, monday, MONTHS, onDay } from './date-grain.ts';
import { spansOf } from './date-spans.ts';
import { dateParser } from './language.ts';
import { relativeDates } from './relative-dates.ts';
import { tenseAt, tenseOf } from './tense.ts';

/** A clause with its dates written out, and the first of them. */
export type DatedClause = { text: string; date: string | null };

/** Words of a text that name a date, and the date as it is written out. */
export type DatePhrase = {
  index: number;
  length: number;
  prefix: string;
  body: string;
  date: string;
  /** Stands without a preposition, so that one before it belongs to something else: "the club I sing at yesterday". */
  bare?: boolean;
};

const BARE = /^(?:yesterday|today|tonight|tomorrow)\b/i;

const WEEKDAY = '(?:mon|tues|wednes|thurs|fri|satur|sun)day';
const MONTH_NAMES = MONTHS.map((month) => `${month}|${month.slice(0, 3)}`).join('|');

/** Taken for an hour and a month: "from 1 May". */
const FROM_DAY = new RegExp(
  `\\b(from|to|until|till) (\\d{1,2})(?:st|nd|rd|th)? (${MONTHS.join('|')})\\b(?! \\d)`,
  'g',
);

/** Worth asking the date parser, which is the slowest part of reading a clause. */
const HAS_DATE = new RegExp(
  `\\b(?:today|tonight|tomorrow|yesterday|tmrw|ago|this|last|next|past|coming|previous|in|on|weekend|${WEEKDAY}|${MONTH_NAMES})\\b`,
  'i',
);
/** Dates that come again every year or week stay as they were said. */
const RECURRING = new RegExp(
  [
    // "It's my birthday on Saturday" is said of one.
    `(?:birthday|anniversary)(?! (?:is )?(?:today|tomorrow|(?:on |this |next )?${WEEKDAY}|(?:this|next) (?:week|month)))`,
    '(?:fiscal|financial|tax|school|academic) year',
    'birth|born|every|each|usually|always|on weekends',
    `on ${WEEKDAY}s`,
    `${WEEKDAY} (?:nights|mornings|afternoons|evenings)`,
    `${WEEKDAY} (?:to|through|until) ${WEEKDAY}`,
    // "Tuesday, Thursday and Sunday"
    `(?:${WEEKDAY}(?:,? (?:and |or )?|\\b)){3}`,
    // "I love skiing in January"
    `(?:(?:loves?|hates?|enjoys?|prefers?)(?! to\\b)|busiest|quietest)\\b[^,;]{0,60} in (?:${MONTH_NAMES})`,
  ]
    .map((words) => `\\b(?:${words})\\b`)
    .join('|'),
  'i',
);

/** Months that are names as well: "Jan is nine". */
const NAMESAKE = /^(?:jan|april|june|august)\b(?!\.? \d)/i;
/** And those that are verbs. */
const LIKE_VERB = /^(?:may|march|mar)$/i;
const BEFORE_MONTH = /\b(?:in|since|by|until|till|during|from|before|after|early|mid|late|week of)[ -]$/i;

/** "It feels like yesterday", "a quiet weekend", somebody called June. */
function isFigurative(text: string, result: ParsedResult): boolean {
  const before = text.slice(0, result.index);
  if (/\blike(?: it was)?(?: just| only)? $/i.test(before)) return true;
  if (LIKE_VERB.test(result.text)) return !BEFORE_MONTH.test(before);
  if (NAMESAKE.test(result.text)) {
    return !/\b(?:in|since|by|until|till|of|for|early|late|mid|during|from|to|through|before|after|around|is) $/i.test(
      before,
    );
  }
  return /^weekend/i.test(result.text) && !/\b(?:the|this|last|next|past|on|over) $/i.test(before);
}

/** "In a few days" is a day to come, and a while in "I finished it in two days", "the first rain in two weeks". */
const WHILE = /^in (?:an?|about|over|under|several|two|three|four|five|six|seven|eight|nine|ten|\d+)\b/i;
const OF_WHILE = /(?:n't|\b(?:not|never|first|best|worst|once|only|longest))\b[^,;]*$/i;

function isWhile(text: string, { index, text: words }: ParsedResult): boolean {
  return WHILE.test(words) && (OF_WHILE.test(text.slice(0, index)) || tenseAt(text, index) === 'past');
}

const WEEK = /\b(next|last) week\b(?! of\b)/i;

/** "Two interviews next week, on Tuesday and on Thursday": the days of that week. */
function inNamedWeek(text: string, { index, text: words, start }: ParsedResult, now: Date): Grain | null {
  if (!start.isCertain('weekday') || start.isCertain('day')) return null;
  const week =
    WEEK.exec(words) ?? (/\b(?:last|next|this)\b/i.test(words) ? null : WEEK.exec(text.slice(0, index)));
  const which = week?.[1]?.toLowerCase();
  if (which === undefined) return null;
  const weekday = (start.get('weekday') ?? 0) + 6;
  return onDay(addDays(monday(now), (which === 'next' ? 7 : -7) + (weekday % 7)));
}

/** "An iPhone 15 last week" is no hour. */
const STRAY_NUMBER = new RegExp(
  `^\\d{1,2} (?=(?:last|next|this|yesterday|today|tonight|tomorrow|on|in|${WEEKDAY})\\b)`,
  'i',
);

type Place = Readonly<{ index: number; length: number }>;

function overlaps(a: Place, b: Place): boolean {
  return a.index < b.index + b.length && b.index < a.index + a.length;
}

/** The dates that a text names, relative and incomplete ones against `now`, in the order of the text. */
export function phrasesOf(text: string, now: Date): DatePhrase[] {
  const phrases: DatePhrase[] = relativeDates(text, now);
  const spans = spansOf(text, now);
  for (const result of dateParser()(text, { instant: now, timezone: 0 })) {
    const grain = inNamedWeek(text, result, now) ?? grainOf(result, now, tenseOf(text, result));
    if (grain === null || Number.isNaN(result.start.date().getTime())) continue;
    if (isFigurative(text, result) || isWhile(text, result)) continue;
    const stray = STRAY_NUMBER.exec(result.text)?.[0].length ?? 0;
    const body = grain.body === result.text || stray > 0 ? grain.body : grain.body + atHour(result);
    const phrase = {
      index: result.index + stray,
      length: result.text.replace(/[\s,.]{1,4}$/, '').length - stray,
      ...grain,
      body,
      bare: BARE.test(result.text),
    };
    if (![...phrases, ...spans].some((other) => overlaps(other, phrase))) phrases.push(phrase);
  }
  return phrases.sort((a, b) => a.index - b.index);
}

/** "My May 8 workshop": the date belongs to what follows. */
const OWNED = /(?:\b(?:my|our|their|his|her|its)|\p{L}'s|\b(?<!\b(?:on|in|at|over|during|by) )the)\s*$/u;
const AFTER_DATE =
  /^ (?:I|we|he|she|it|they|and|or|but|was|is|were|are|at|in|on|to|for|with|after|before|by|because|since|that|who|when|as|so|if|from)\b/;

/** Puts the phrase in place of the words, with the preposition that the words before it leave open. */
function written(before: string, phrase: DatePhrase, after: string): { before: string; text: string } {
  // "Last night was great": the date is the subject.
  const isSubject = before.trim() === '' && /^ (?:was|is|were|has|works|will|would)\b/.test(after);
  if (phrase.prefix === '' || isSubject || after.startsWith("'s")) return { before, text: phrase.body };
  if (OWNED.test(before) && /^ \p{L}/u.test(after) && !AFTER_DATE.test(after))
    return { before, text: phrase.body };
  if (
    /(?<!\b(?:go|goes|going|went|been|gone|come|came|belong|listen|listened) )\b(?:since|until|till|by|from|before|after|of|for|around|to|between|through)(?: the)?\s*$/i.test(
      before,
    )
  ) {
    return { before: before.replace(/ the\s*$/i, ' '), text: phrase.body };
  }
  // "In mid-January", "late last year"
  if (phrase.prefix === 'in' && !phrase.body.startsWith('the ') && /\b(?:early|mid|late)[ -]$/i.test(before))
    return { before, text: phrase.body };
  const open = phrase.bare
    ? before.replace(/^(?:just|only)\s*$/i, '')
    : before.replace(/\b(?:on|in|at|over|during|this)(?: the)?\s*$/i, '');
  return { before: open, text: `${phrase.prefix} ${phrase.body}` };
}

/** Dates beyond have no four-digit year to be written with, and their neighbours may not exist. */
export function isCommonEra(date: Date): boolean {
  const year = date.getUTCFullYear();
  return year >= 1000 && year < 9999;
}

/**
 * Writes out the relative and incomplete dates of a clause against the day it was said (UTC): "yesterday"
 * → "on 7 May 2023", "last year" → "in 2022", "next month" → "in June 2023". `date` is the first of them,
 * as precise as it was said (`2023-05-07`, `2023-06`, `2022`).
 */
export function resolveDates(text: string, saidAt: Date): DatedClause {
  if (!HAS_DATE.test(text) || RECURRING.test(text) || !isCommonEra(saidAt)) return { text, date: null };
  const known = text.replaceAll(/\bTues\b(?!day)/g, 'Tuesday').replaceAll(FROM_DAY, '$1 $3 $2');
  return writeOut(known, saidAt);
}

function writeOut(text: string, saidAt: Date): DatedClause {
  let out = '';
  let from = 0;
  let date: string | null = null;
  for (const phrase of phrasesOf(text, saidAt)) {
    if (phrase.index < from) continue;
    const { before, text: words } = written(
      out + text.slice(from, phrase.index),
      phrase,
      text.slice(phrase.index + phrase.length),
    );
    out = before + words;
    from = phrase.index + phrase.length;
    date ??= phrase.date;
  }
  return { text: (out + text.slice(from)).replaceAll(/\s{2,}/g, ' '), date };
}
