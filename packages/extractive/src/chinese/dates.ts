import { DATE_PHRASES, type ChineseDate, type Tense } from './date-phrases.ts';
import { toSimplified } from './script.ts';

/** A clause with its dates written out, and the first of them. */
export type ChineseDated = { text: string; date: string | null };

type PlaceInText = { index: number; length: number };

/** Where a date can begin, so that most characters need no further look. */
const MAY_BEGIN = /[大前昨今明后去上这本下周星礼半几最近\d一二两三四五六七八九十]/;
/** Dates that come again stay as they were said. */
const RECURRING = /每|通常|一般|平时|周末都|[到至]周|经常|总是/;
/** What is said of these days comes again every year; what is said of today does not. */
const YEARLY = /生日|纪念日|出生/;
const RELATIVE = /[大昨今明后上下]/;
const PAST = /[了过]|以前|之前|曾|的时候/;
const PLANNED =
  /打算|计划|准备|订[了好]|预订|预定|预约|[机车船门]票|报名|即将|马上|目标|将(?!军)|(?<![学机协聚开晚宴])会(?!议)|(?:到期|截止|开学)(?!了)/;
const WANTED = /要|想/;
/** Part of a number, of an ordinal or of another word: `第三周前`, `二零二三年`. */
const JOINED = /[第\d零一二两三四五六七八九十.]/;

function tenseOf(simplified: string): Tense | null {
  if (PLANNED.test(simplified)) return 'future';
  if (PAST.test(simplified)) return 'past';
  return WANTED.test(simplified) ? 'future' : null;
}

function phraseAt(
  text: string,
  now: Date,
  tense: Tense | null,
): { length: number; date: ChineseDate } | null {
  for (const phrase of DATE_PHRASES) {
    const match = phrase.when.exec(text);
    const date = match === null ? null : phrase.date(match, now, tense);
    if (match !== null && date !== null) return { length: match[0].length, date };
  }
  return null;
}

/** The longest phrase is shorter. */
const MAX_PHRASE_CHARACTERS = 24;

/** Dates beyond have no four-digit year to be written with, and their neighbours may not exist. */
function isCommonEra(date: Date): boolean {
  const year = date.getUTCFullYear();
  return year >= 1000 && year < 9999;
}

/**
 * Writes out the relative and incomplete dates of a clause against the day it was said (UTC): "昨天" →
 * "2023年5月7日", "去年" → "2022年", "最近" → "2023年5月8日前后". `date` is the first of them, as precise as it was
 * said (`2023-05-07`, `2023-06`, `2022`).
 */
export function writeOutDates(text: string, saidAt: Date): ChineseDated {
  let out = '';
  let from = 0;
  let first: string | null = null;
  for (const { index, length, body, date } of chinesePhrasesOf(text, saidAt)) {
    out += text.slice(from, index) + body;
    from = index + length;
    first ??= date;
  }
  return { text: out + text.slice(from), date: first };
}

const OF_WEEK = /^(?:上{1,2}|下{1,2})(?=(?:个)?(?:周|星期|礼拜)[一二三四五六日天])/;
const AND = /^(?:和|、|及|与|还有|，|以及|或者?)$/;

/** "下周二和周四": the second day is of the same week. */
function goesOn(text: string, at: number, before: PlaceInText | undefined): boolean {
  const isWeekday = /^(?:周|星期|礼拜)/.test(text.slice(at, at + 2));
  return isWeekday && before !== undefined && AND.test(text.slice(before.index + before.length, at));
}

/** The dates that a text names, relative and incomplete ones against `now`, in the order of the text. */
export function chinesePhrasesOf(text: string, now: Date): (ChineseDate & PlaceInText)[] {
  const simplified = toSimplified(text);
  if (!isCommonEra(now) || RECURRING.test(simplified)) return [];
  const tense = tenseOf(simplified);
  const mayBegin = YEARLY.test(simplified) ? RELATIVE : MAY_BEGIN;
  const phrases: (ChineseDate & PlaceInText)[] = [];
  let lastWeek = '';
  for (let at = 0; at < text.length;) {
    const isJoined = at > 0 && JOINED.test(simplified.charAt(at - 1));
    const week = goesOn(simplified, at, phrases.at(-1)) ? lastWeek : '';
    const found =
      mayBegin.test(simplified.charAt(at)) && !isJoined
        ? phraseAt(week + simplified.slice(at, at + MAX_PHRASE_CHARACTERS), now, tense)
        : null;
    const length = found === null ? 1 : found.length - week.length;
    if (found !== null) {
      phrases.push({ ...found.date, index: at, length });
      lastWeek = OF_WEEK.exec(week + simplified.slice(at, at + MAX_PHRASE_CHARACTERS))?.[0] ?? '';
    }
    at += length;
  }
  return phrases;
}
