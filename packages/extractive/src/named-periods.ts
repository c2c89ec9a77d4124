import { chinesePhrasesOf } from './chinese/dates.ts';
import { isChinese } from './chinese/script.ts';
import { MONTHS } from './date-grain.ts';
import { spansOf } from './date-spans.ts';
import { isCommonEra, phrasesOf } from './dates.ts';

/** A stretch of time that a question names, in whole days (UTC): `from` belongs to it, `until` does not. */
type NamedPeriod = Readonly<{
  from: Date;
  until: Date;
  /** The question says no year (`on 16 May`): the period is the nearest, and those of other years may be meant. */
  anyYear: boolean;
}>;

export type NamedPeriods = Readonly<{
  periods: readonly NamedPeriod[];
  /** The text without the words that name them. */
  rest: string;
}>;

type Phrase = Readonly<{
  index: number;
  length: number;
  body: string;
  prefix?: string;
  date: string | null;
  /** A stretch of time up to now, or from now on: "the past two weeks". */
  days?: Readonly<{ from: Date; until: Date }>;
}>;

/** Dates are looked for in questions, not in whole documents. */
const MAX_CHARACTERS = 300;
const ENGLISH_MONTH = MONTHS.map((month) => `${month.slice(0, 3)}(?:${month.slice(3)})?`).join('|');
/** Worth asking the date parser. */
const MAY_NAME_DATE = new RegExp(
  `\\b(?:today|tonight|tomorrow|yesterday|ago|days?|nights?|weekends?|weeks?|months?|years?|spring|summer|autumn|fall|winter|(?:mon|tues|wednes|thurs|fri|satur|sun)day|${ENGLISH_MONTH})\\b|\\b(?:19|20)\\d\\d\\b|\\d[./]\\d`,
  'i',
);
const MONTH_NAME = new RegExp(`\\b(?:${ENGLISH_MONTH})\\b`, 'i');
const CHINESE_MONTH = /^[\d一二三四五六七八九十]{1,3}月/;
/** What says of which year a month is. */
const SAYS_YEAR = /\d{4}|\b(?:last|this|next|past|ago)\b/i;
const ISO = /\b(?<date>(?:19|20)\d\d-(?:0[1-9]|1[0-2])(?:-(?:0[1-9]|[12]\d|3[01]))?)\b/g;
/** Not the period itself, but what lies on one side of it. */
const BESIDE = /\b(?:before|after|until|till|since|by) (?:the )?$/i;
const DAY_MS = 86_400_000;

/**
 * The periods that a question names, relative and incomplete ones against `now`: `on 16 May`, `last week`,
 * `in March 2023`, `2023-05-16`, `上周`. Nothing is read from a long text.
 */
export function namedPeriods(text: string, now: Date): NamedPeriods {
  const none = { periods: [], rest: text };
  if (text.length > MAX_CHARACTERS || !isCommonEra(now)) return none;
  const phrases = isChinese(text) ? chinesePhrasesOf(text, now) : englishPhrases(text, now);
  const periods: NamedPeriod[] = [];
  let rest = '';
  let from = 0;
  for (const phrase of phrases) {
    const words = text.slice(phrase.index, phrase.index + phrase.length);
    const period = BESIDE.test(text.slice(0, phrase.index)) ? null : toPeriod(phrase);
    if (period === null || phrase.index < from) continue;
    const namesMonth = MONTH_NAME.test(words) || CHINESE_MONTH.test(words);
    periods.push({ ...period, anyYear: namesMonth && !SAYS_YEAR.test(words) });
    rest += text.slice(from, phrase.index);
    from = phrase.index + phrase.length;
  }
  return { periods, rest: rest + text.slice(from) };
}

function englishPhrases(text: string, now: Date): Phrase[] {
  const written = Array.from(text.matchAll(ISO), (match) => ({
    index: match.index,
    length: match[0].length,
    body: match[0],
    date: match.groups?.['date'] ?? null,
  }));
  if (written.length > 0) return written;
  if (!MAY_NAME_DATE.test(text)) return [];
  const spans = spansOf(text, now).flatMap(({ days, ...place }) =>
    days === null ? [] : [{ ...place, days, body: '', date: null }],
  );
  return [...phrasesOf(text, now), ...spans].sort((a, b) => a.index - b.index);
}

/** How many days a phrase means that is written out with the first of them. */
function daysOf({ body, prefix = '' }: Phrase): number {
  if (/^(?:the end of )?the week of|那一周$/.test(body)) return 7;
  if (/^the weekend of|那个周末$/.test(body)) return 2;
  const last = / to (\d{1,2}) /.exec(body);
  if (prefix !== 'from' || last === null) return 1;
  const days = Number(last[1]) - Number.parseInt(body, 10) + 1;
  return days > 0 ? days : 1;
}

function toPeriod(phrase: Phrase): Pick<NamedPeriod, 'from' | 'until'> | null {
  const { date, body, prefix, days } = phrase;
  if (days !== undefined) return { from: startOfDay(days.from), until: startOfDay(days.until) };
  const [year = NaN, month, day] = (date ?? '').split('-').map(Number);
  if (Number.isNaN(year)) return null;
  if (month === undefined) return { from: utc(year, 0, 1), until: utc(year + 1, 0, 1) };
  if (day === undefined) {
    const months = /^the (?:spring|summer|autumn|fall|winter) of/.test(body) ? 3 : 1;
    return { from: utc(year, month - 1, 1), until: utc(year, month - 1 + months, 1) };
  }
  const isAround = prefix === 'around' || body.endsWith('前后');
  const first = utc(year, month - 1, day - (isAround ? 3 : 0));
  return { from: first, until: new Date(first.getTime() + (isAround ? 7 : daysOf(phrase)) * DAY_MS) };
}

function startOfDay(time: Date): Date {
  return utc(time.getUTCFullYear(), time.getUTCMonth(), time.getUTCDate());
}

function utc(year: number, month: number, day: number): Date {
  return new Date(Date.UTC(year, month, day));
}
