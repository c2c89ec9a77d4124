import type { ParsedResult } from 'chrono-node/en';
import { addDays, atHour, grainOf, inMonth, inYear, MONTHS, onWeekend } from './date-grain.ts';
import { dateParser } from './language.ts';
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
    'birthday|anniversary|birth|born|every|each|usually|always|on weekends',
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

const SEASONS: ReadonlyMap<string, number> = new Map([
  ['spring', 2],
  ['summer', 5],
  ['autumn', 8],
  ['fall', 8],
  ['winter', 11],
]);
const NEAR_MONTH = new RegExp(`\\b(last|this|next) (${MONTHS.join('|')})\\b(?! \\d)`, 'gi');
const COUNTS = ['zero', 'a', 'two', 'three', 'four', 'five', 'six', 'seven', 'eight', 'nine', 'ten'];

/** "last summer", "two weekends ago", "in 2019": what the date parser does not read. */
function extraPhrases(text: string, now: Date): DatePhrase[] {
  const phrases: DatePhrase[] = [];
  for (const match of text.matchAll(/\b(last|this|next|this past) (spring|summer|autumn|fall|winter)\b/gi)) {
    const season = (match[2] ?? '').toLowerCase();
    const start = SEASONS.get(season) ?? 0;
    const which = (match[1] ?? '').toLowerCase();
    let year = now.getUTCFullYear();
    // In spring, "next summer" is not the one about to begin.
    if (which === 'next' && now.getUTCMonth() >= start - 4) year += 1;
    if (which.endsWith('past') || which === 'last') {
      // The last one is over or under way; before it begins, it was the year before.
      if (now.getUTCMonth() < start + 3) year -= 1;
    }
    const date = `${year}-${String(start + 1).padStart(2, '0')}`;
    phrases.push({
      index: match.index,
      length: match[0].length,
      prefix: 'in',
      body: `the ${season} of ${year}`,
      date,
    });
  }
  for (const match of text.matchAll(NEAR_MONTH)) {
    const month = MONTHS.findIndex((name) => name.toLowerCase() === match[2]?.toLowerCase());
    const which = match[1]?.toLowerCase();
    const isOver = month <= now.getUTCMonth();
    const years =
      which === 'last' ? (month < now.getUTCMonth() ? 0 : -1) : which === 'next' && isOver ? 1 : 0;
    const date = new Date(Date.UTC(now.getUTCFullYear() + years, month, 1));
    phrases.push({ index: match.index, length: match[0].length, ...inMonth(date) });
  }
  for (const match of text.matchAll(/\b(a|two|three|four|\d{1,2}) weekends? ago\b/gi)) {
    const word = (match[1] ?? '').toLowerCase();
    const count = /\d/.test(word) ? Number(word) : COUNTS.indexOf(word);
    phrases.push({ index: match.index, length: match[0].length, ...onWeekend(addDays(now, -7 * count)) });
  }
  for (const match of text.matchAll(/\bin ((?:19|20)\d\d)\b/g)) {
    phrases.push({ index: match.index, length: match[0].length, ...inYear(Number(match[1])) });
  }
  return phrases;
}

/** Months that are names as well: "Jan is nine". */
const NAMESAKE = /^(?:jan|april|june|august)\b(?!\.? \d)/i;

/** "It feels like yesterday", "a quiet weekend", somebody called June. */
function isFigurative(text: string, result: ParsedResult): boolean {
  const before = text.slice(0, result.index);
  if (/\blike(?: it was)?(?: just| only)? $/i.test(before)) return true;
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

/** "An iPhone 15 last week" is no hour. */
const STRAY_NUMBER = new RegExp(
  `^\\d{1,2} (?=(?:last|next|this|yesterday|today|tonight|tomorrow|on|in|${WEEKDAY})\\b)`,
  'i',
);

function overlaps(a: DatePhrase, b: DatePhrase): boolean {
  return a.index < b.index + b.length && b.index < a.index + a.length;
}

/** The dates that a text names, relative and incomplete ones against `now`, in the order of the text. */
export function phrasesOf(text: string, now: Date): DatePhrase[] {
  const phrases = extraPhrases(text, now);
  for (const result of dateParser()(text, { instant: now, timezone: 0 })) {
    const grain = grainOf(result, now, tenseOf(text, result));
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
    if (!phrases.some((other) => overlaps(other, phrase))) phrases.push(phrase);
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
