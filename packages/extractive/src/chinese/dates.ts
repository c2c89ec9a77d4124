import { DATE_PHRASES, type ChineseDate, type Tense } from './date-phrases.ts';
import { toSimplified } from './script.ts';

/** A clause with its dates written out, and the first of them. */
export type ChineseDated = { text: string; date: string | null };

/** Where a date can begin, so that most characters need no further look. */
const MAY_BEGIN = /[大前昨今明后去上这本下周星礼半几最近\d一二两三四五六七八九十]/;
/** Dates that come again stay as they were said. */
const RECURRING = /每|通常|一般|平时|周末都|[到至]周|经常|总是/;
/** What is said of these days comes again every year; what is said of today does not. */
const YEARLY = /生日|纪念日|出生/;
const RELATIVE = /[大昨今明后上下]/;
const PAST = /[了过]|以前|之前|曾|的时候/;
const PLANNED =
  /打算|计划|准备|订[了好]|预订|预定|预约|[机车船门]票|报名|即将|马上|目标|将(?!军)|(?<![学机协聚开晚宴])会(?!议)/;
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
  const simplified = toSimplified(text);
  if (!isCommonEra(saidAt) || RECURRING.test(simplified)) return { text, date: null };
  const tense = tenseOf(simplified);
  const mayBegin = YEARLY.test(simplified) ? RELATIVE : MAY_BEGIN;
  let out = '';
  let first: string | null = null;
  for (let at = 0; at < text.length;) {
    const character = simplified.charAt(at);
    const isJoined = at > 0 && JOINED.test(simplified.charAt(at - 1));
    const found =
      mayBegin.test(character) && !isJoined
        ? phraseAt(simplified.slice(at, at + MAX_PHRASE_CHARACTERS), saidAt, tense)
        : null;
    out += found === null ? text.charAt(at) : found.date.body;
    first ??= found?.date.date ?? null;
    at += found?.length ?? 1;
  }
  return { text: out, date: first };
}
