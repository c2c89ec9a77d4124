import type { ParsedResult } from 'chrono-node/en';

export const MONTHS =
  'January February March April May June July August September October November December'.split(' ');

const DAY_MS = 86_400_000;

function dayText(date: Date): string {
  return `${date.getUTCDate()} ${MONTHS[date.getUTCMonth()]} ${date.getUTCFullYear()}`;
}

function isoDay(date: Date): string {
  return date.toISOString().slice(0, 10);
}

export function addDays(date: Date, days: number): Date {
  return new Date(date.getTime() + days * DAY_MS);
}

export function monday(date: Date): Date {
  return addDays(date, -((date.getUTCDay() + 6) % 7));
}

/** A date as precise as it was said: the preposition it takes, the words, and ISO 8601 of the same precision. */
export type Grain = { prefix: string; body: string; date: string };

/** " at 17:00" when the words name an hour; as said, whatever the speaker's time zone. */
export function atHour(result: ParsedResult): string {
  return result.start.isCertain('hour') && /\d/.test(result.text)
    ? ` at ${result.start.date().toISOString().slice(11, 16)}`
    : '';
}

export const onDay = (date: Date): Grain => ({ prefix: 'on', body: dayText(date), date: isoDay(date) });
export const inMonth = (date: Date): Grain => ({
  prefix: 'in',
  body: `${MONTHS[date.getUTCMonth()]} ${date.getUTCFullYear()}`,
  date: isoDay(date).slice(0, 7),
});
export const inYear = (year: number): Grain => ({ prefix: 'in', body: String(year), date: String(year) });
export const inWeek = (date: Date): Grain => ({
  prefix: 'in',
  body: `the week of ${dayText(monday(date))}`,
  date: isoDay(monday(date)),
});
export const onWeekend = (date: Date): Grain => {
  const saturday = addDays(monday(date), 5);
  return { prefix: 'on', body: `the weekend of ${dayText(saturday)}`, date: isoDay(saturday) };
};

/** Moves a date by whole steps to the side of `now` that the tense asks for. */
function toSide(
  date: Date,
  now: Date,
  tense: 'past' | 'future' | null,
  step: (date: Date, sign: number) => Date,
): Date {
  if (tense === 'past' && date.getTime() > now.getTime() + DAY_MS / 2) return step(date, -1);
  if (tense === 'future' && date.getTime() < now.getTime() - DAY_MS) return step(date, 1);
  return date;
}

/** A weekday to come is today at the earliest; of dates a year apart, a day of another time zone is not. */
function toWeekSide(date: Date, now: Date, tense: 'past' | 'future' | null): Date {
  if (tense === 'future' && isoDay(date) < isoDay(now)) return byWeek(date, 1);
  return toSide(date, now, tense, byWeek);
}

const byWeek = (date: Date, sign: number): Date => addDays(date, 7 * sign);
const byYear = (date: Date, sign: number): Date => {
  const moved = new Date(date);
  moved.setUTCFullYear(moved.getUTCFullYear() + sign);
  return moved;
};

/** "July 13-14" */
function rangeOf({ start, end }: ParsedResult, now: Date, tense: 'past' | 'future' | null): Grain | null {
  if (end == null || !end.isCertain('day')) return null;
  const days = Math.round((end.date().getTime() - start.date().getTime()) / DAY_MS);
  if (days < 1) return null;
  const first = start.isCertain('year') ? start.date() : toSide(start.date(), now, tense, byYear);
  const last = addDays(first, days);
  const isSameMonth = first.getUTCMonth() === last.getUTCMonth() && days < 31;
  const from = isSameMonth ? String(first.getUTCDate()) : dayText(first);
  return { prefix: 'from', body: `${from} to ${dayText(last)}`, date: isoDay(first) };
}

/** How precisely the words of a date speak, written out; null when they are no date to write out. */
export function grainOf(result: ParsedResult, now: Date, tense: 'past' | 'future' | null): Grain | null {
  const grain = wholeGrainOf(result, now, tense);
  // "By the end of next month": the whole month would be a month too early.
  if (grain?.prefix !== 'in' || !/^(?:the )?end of\b/i.test(result.text)) return grain;
  return { ...grain, prefix: 'at', body: `the end of ${grain.body}` };
}

function wholeGrainOf(result: ParsedResult, now: Date, tense: 'past' | 'future' | null): Grain | null {
  const { start } = result;
  const words = result.text.toLowerCase();
  const date = start.date();
  if (/^(?:for|within|now|right now|just now|sun|sat|mon|wed|second|at\b)/.test(words) && !/\d/.test(words))
    return null;
  // "For two weeks", "after 35 years of teaching" are no dates.
  if (/^(?:for|within|after)\b/.test(words)) return null;
  // "From July to December" says more than its beginning.
  if (result.end?.isCertain('month') === true && !result.end.isCertain('day')) return null;
  if (/\bweekend/.test(words)) {
    return onWeekend(/\b(?:last|past|previous)\b/.test(words) ? date : toSide(date, now, tense, byWeek));
  }
  // "This week" is read as its Sunday, which is the week before's.
  if (/\bweek\b/.test(words) && !start.isCertain('weekday'))
    return inWeek(/\bthis\b/.test(words) ? now : date);
  if (/\bweeks\b/.test(words)) return { ...onDay(date), prefix: 'around' };
  if (/\bmonths?\b/.test(words)) return inMonth(date);
  if (/\byears?\b/.test(words)) return inYear(date.getUTCFullYear());
  if (start.isCertain('day')) {
    const range = rangeOf(result, now, tense);
    if (range !== null) return range;
    if (start.isCertain('year') && /\d{4}/.test(words))
      return { prefix: '', body: result.text, date: isoDay(date) };
    return onDay(start.isCertain('year') ? date : toSide(date, now, tense, byYear));
  }
  if (start.isCertain('weekday'))
    return onDay(/\b(?:last|next)\b/.test(words) ? date : toWeekSide(date, now, tense));
  if (start.isCertain('month')) {
    if (start.isCertain('year') && /\d{4}/.test(words))
      return { prefix: '', body: result.text, date: isoDay(date).slice(0, 7) };
    // A month that is the present one is on both sides.
    const sameMonth = date.getUTCMonth() === now.getUTCMonth();
    return inMonth(sameMonth ? date : toSide(date, now, tense, byYear));
  }
  return null;
}
