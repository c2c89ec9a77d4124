import { COUNT, countOf } from './counts.ts';
import { addDays, type Grain, inMonth, inWeek, inYear, MONTHS, onDay, onWeekend } from './date-grain.ts';

/** A date in words, and where it is in a text. */
export type RelativeDate = Grain & { index: number; length: number };

const SEASONS: ReadonlyMap<string, number> = new Map([
  ['spring', 2],
  ['summer', 5],
  ['autumn', 8],
  ['fall', 8],
  ['winter', 11],
]);
const DAYS = ['sunday', 'monday', 'tuesday', 'wednesday', 'thursday', 'friday', 'saturday'];

const SEASON = /\b(last|this|next|this past) (spring|summer|autumn|fall|winter)\b/gi;
const NEAR_MONTH = new RegExp(`\\b(last|this|next) (${MONTHS.join('|')})\\b(?! \\d)`, 'gi');
const OF_NEAR_YEAR = new RegExp(
  `\\b(${MONTHS.join('|')}|${[...SEASONS.keys()].join('|')})(?: of)? (last|this|next) year\\b`,
  'gi',
);
const WEEKENDS_AGO = new RegExp(`\\b(${COUNT}) weekends? ago\\b`, 'gi');
const YEAR = /\bin ((?:19|20)\d\d)\b/g;
const SECOND_NEXT = new RegExp(
  `\\b(?:the )?(week|weekend|month|year|${DAYS.join('|')}) (before last|after next)\\b`,
  'gi',
);
/** "A week from Monday", "two weeks from tomorrow" */
const WEEKS_FROM = new RegExp(
  `\\b(?:in )?(${COUNT}) weeks? from (today|tomorrow|${DAYS.join('|')})\\b`,
  'gi',
);
/** "Two and a half years ago", "a year and a half ago", "half a year ago" */
const HALF_YEARS = new RegExp(
  `\\b(?:about |around )?(?:(${COUNT}) (?:and a half years|year and a half)|half a year) ago\\b`,
  'gi',
);
const FORTNIGHT = /\b(?:in a fortnight|a fortnight( ago))\b/gi;
/** Of the night before now: "3 am last night" is this morning. */
const SMALL_HOURS = /\b(?:at )?(12|[1-5])(?::([0-5]\d))? ?a\.?m\.? last night\b/gi;

/** What the date parser does not read, or reads wrongly: "last summer", "the week before last", "3 am last night". */
export function relativeDates(text: string, now: Date): RelativeDate[] {
  const find = (pattern: RegExp, read: (groups: readonly string[]) => Grain | null): RelativeDate[] =>
    Array.from(text.matchAll(pattern)).flatMap((match) => {
      const grain = read(match.slice(1).map((group) => (group ?? '').toLowerCase()));
      return grain === null ? [] : [{ index: match.index, length: match[0].length, ...grain }];
    });
  return [
    ...find(SEASON, ([which = '', season = '']) => inSeason(which, season, now)),
    ...find(NEAR_MONTH, ([which = '', name = '']) => nearMonth(which, name, now)),
    ...find(OF_NEAR_YEAR, ([name = '', which = '']) => ofNearYear(name, which, now)),
    ...find(WEEKENDS_AGO, ([count = '']) => onWeekend(addDays(now, -7 * countOf(count)))),
    ...find(YEAR, ([year]) => inYear(Number(year))),
    ...find(SECOND_NEXT, ([unit = '', which]) => secondNext(unit, which === 'before last' ? -2 : 2, now)),
    ...find(WEEKS_FROM, ([count = '', day = '']) => onDay(addDays(dayToCome(day, now), 7 * countOf(count)))),
    ...find(HALF_YEARS, ([years = '']) => monthsAgo(6 + 12 * (years === '' ? 0 : countOf(years)), now)),
    ...find(FORTNIGHT, ([ago = '']) => ({ ...onDay(addDays(now, ago === '' ? 14 : -14)), prefix: 'around' })),
    ...find(SMALL_HOURS, ([hour, minutes]) => {
      const { body, ...grain } = onDay(now);
      return {
        ...grain,
        body: `${body} at ${String(Number(hour) % 12).padStart(2, '0')}:${minutes || '00'}`,
      };
    }),
  ];
}

function inSeason(which: string, season: string, now: Date): Grain {
  const start = SEASONS.get(season) ?? 0;
  let year = now.getUTCFullYear();
  // In spring, "next summer" is not the one about to begin.
  if (which === 'next' && now.getUTCMonth() >= start - 4) year += 1;
  // The last one is over or under way; before it begins, it was the year before.
  if ((which.endsWith('past') || which === 'last') && now.getUTCMonth() < start + 3) year -= 1;
  return ofSeason(season, start, year);
}

function nearMonth(which: string, name: string, now: Date): Grain {
  const month = monthOf(name);
  const isOver = month <= now.getUTCMonth();
  const years = which === 'last' ? (month < now.getUTCMonth() ? 0 : -1) : which === 'next' && isOver ? 1 : 0;
  return inMonth(new Date(Date.UTC(now.getUTCFullYear() + years, month, 1)));
}

/** "October next year", "the summer of last year" */
function ofNearYear(name: string, which: string, now: Date): Grain {
  const year = now.getUTCFullYear() + (which === 'next' ? 1 : which === 'last' ? -1 : 0);
  const start = SEASONS.get(name);
  if (start !== undefined) return ofSeason(name, start, year);
  return inMonth(new Date(Date.UTC(year, monthOf(name), 1)));
}

function monthOf(name: string): number {
  return MONTHS.findIndex((one) => one.toLowerCase() === name);
}

function ofSeason(season: string, start: number, year: number): Grain {
  const date = `${year}-${String(start + 1).padStart(2, '0')}`;
  return { prefix: 'in', body: `the ${season} of ${year}`, date };
}

function monthsAgo(months: number, now: Date): Grain {
  const date = new Date(Date.UTC(now.getUTCFullYear(), now.getUTCMonth() - months, 1));
  return { ...inMonth(date), prefix: 'around' };
}

/** The one before the last (-2), or after the next (2). */
function secondNext(unit: string, steps: -2 | 2, now: Date): Grain {
  if (unit === 'week') return inWeek(addDays(now, 7 * steps));
  if (unit === 'month')
    return inMonth(new Date(Date.UTC(now.getUTCFullYear(), now.getUTCMonth() + steps, 1)));
  if (unit === 'year') return inYear(now.getUTCFullYear() + steps);
  // Of weekends and weekdays the next is the one to come.
  if (unit === 'weekend') return onWeekend(addDays(now, steps < 0 ? 7 * steps : 7));
  if (steps > 0) return onDay(addDays(dayToCome(unit, now), 7));
  const daysAgo = ((now.getUTCDay() - DAYS.indexOf(unit) + 6) % 7) + 1;
  return onDay(addDays(now, -7 - daysAgo));
}

/** Today, tomorrow, or the next day of that name, which is not today. */
function dayToCome(day: string, now: Date): Date {
  if (day === 'today') return now;
  if (day === 'tomorrow') return addDays(now, 1);
  return addDays(now, ((DAYS.indexOf(day) - now.getUTCDay() + 6) % 7) + 1);
}
