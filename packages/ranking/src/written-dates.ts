/** A stretch of time in whole days (UTC): `from` belongs to it, `until` does not. */
type Period = Readonly<{ from: Date; until: Date }>;

/** A period that a query names; with `anyYear` also the same days of other years. */
export type AskedPeriod = Period & Readonly<{ anyYear: boolean }>;

const MONTHS = [
  'january', 'february', 'march', 'april', 'may', 'june', 'july', 'august', 'september', 'october', 'november',
  'december',
]; // prettier-ignore
const MONTH = `(?<month>${MONTHS.map((name) => `${name.slice(0, 3)}(?:${name.slice(3)})?`).join('|')})\\b\\.?`;
const DAY = '(?<day>\\d{1,2})(?:st|nd|rd|th)?';
const YEAR = '(?<year>(?:19|20)\\d\\d)';
/** The more precise first: what one has read, the next does not read again. */
const FORMS = [
  `\\b${YEAR}-(?<month>0[1-9]|1[0-2])(?:-(?<day>\\d\\d))?\\b`,
  `(?:${YEAR}年)?(?<month>\\d{1,2})月(?:(?<day>\\d{1,2})[日号])?`,
  `${YEAR}年`,
  `\\b${DAY}(?: of)? ${MONTH}(?:,? ${YEAR})?`,
  `\\b${MONTH} ${DAY}\\b(?:,? ${YEAR})?`,
  `\\b${MONTH},? ${YEAR}\\b`,
  `\\b(?:in|since|until|last|this|next) ${MONTH}`,
  `\\bin ${YEAR}\\b`,
].map((form) => new RegExp(form, 'gi'));
/** Most texts hold no date at all. */
const MAY_HOLD = /\d|\b(?:in|since|until|last|this|next) \p{L}/u;
/** Characters before a date that are looked at. */
const MAX_BEFORE = 30;
const WEEK = /\bthe week(?:end)? of (?:saturday |monday )?$/i;
const DAY_MS = 86_400_000;
/** A date without a year is compared with those of this leap year. */
const SOME_YEAR = 2024;

type Written = Period & Readonly<{ anyYear: boolean }>;

/** The dates that are written out in a text, such as `16 May 2026`, `in May`, `2026-05-16` or `5月16日`. */
function writtenDates(text: string): Written[] {
  if (!MAY_HOLD.test(text)) return [];
  const dates: Written[] = [];
  let left = text;
  for (const form of FORMS) {
    left = left.replace(form, (...match: unknown[]) => {
      const [whole, groups] = [String(match[0]), match.at(-1) as Record<string, string | undefined>];
      const at = match.at(-3) as number;
      const before = left.slice(Math.max(0, at - MAX_BEFORE), at);
      const written = toPeriod(groups, WEEK.test(before) ? 7 : 1);
      if (written !== null) dates.push(written);
      return ' '.repeat(whole.length);
    });
  }
  return dates;
}

function toPeriod({ year, month, day }: Record<string, string | undefined>, days: number): Written | null {
  const y = year === undefined ? SOME_YEAR : Number(year);
  const anyYear = year === undefined;
  if (month === undefined) return { from: utc(y, 0, 1), until: utc(y + 1, 0, 1), anyYear };
  const m = /\d/.test(month)
    ? Number(month) - 1
    : MONTHS.findIndex((name) => name.startsWith(month.slice(0, 3).toLowerCase()));
  if (m < 0 || m > 11) return null;
  if (day === undefined) return { from: utc(y, m, 1), until: utc(y, m + 1, 1), anyYear };
  const from = utc(y, m, Number(day));
  return from.getUTCMonth() === m ? { from, until: new Date(from.getTime() + days * DAY_MS), anyYear } : null;
}

/**
 * How well a memory fits the periods that a query names: 1 when it holds since then or names a date in it, a half when
 * it names a month or a week that one of them lies in, else 0.
 */
export function dateFit(
  periods: readonly AskedPeriod[],
  { content, validFrom }: Readonly<{ content: string; validFrom: Date }>,
): number {
  if (periods.length === 0) return 0;
  const day = { from: validFrom, until: new Date(validFrom.getTime() + 1), anyYear: false };
  const dates = [day, ...writtenDates(content)];
  return Math.max(...periods.flatMap((asked) => dates.map((date) => fitOf(asked, date))));
}

function fitOf(asked: AskedPeriod, date: Written): number {
  const [a, d] = asked.anyYear || date.anyYear ? [inSomeYear(asked), inSomeYear(date)] : [asked, date];
  if (d.from >= a.from && d.until <= a.until) return 1;
  const isMonthOrLess = d.until.getTime() - d.from.getTime() <= 31 * DAY_MS;
  return isMonthOrLess && d.from <= a.from && d.until >= a.until ? 0.5 : 0;
}

function inSomeYear({ from, until }: Period): Period {
  const start = utc(SOME_YEAR, from.getUTCMonth(), from.getUTCDate());
  return { from: start, until: new Date(start.getTime() + until.getTime() - from.getTime()) };
}

function utc(year: number, month: number, day: number): Date {
  return new Date(Date.UTC(year, month, day));
}

/** Longer periods are looked for by their year. */
const MAX_MONTHS = 3;

/** Words one of which a text has that names a date in the period, for full text. */
export function dateTerms({ from, until, anyYear }: AskedPeriod): string[] {
  const last = new Date(until.getTime() - 1);
  const months =
    12 * (last.getUTCFullYear() - from.getUTCFullYear()) + last.getUTCMonth() - from.getUTCMonth() + 1;
  if (months > MAX_MONTHS) return [String(from.getUTCFullYear())];
  return Array.from({ length: months }, (_, at) => {
    const month = utc(from.getUTCFullYear(), from.getUTCMonth() + at, 1);
    const name = MONTHS[month.getUTCMonth()] ?? '';
    const iso = month.toISOString().slice(0, 7);
    return [name, name.slice(0, 3), `${month.getUTCMonth() + 1}月`, ...(anyYear ? [] : [iso])];
  }).flat();
}
