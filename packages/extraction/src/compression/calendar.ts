/** A date in some time zone, `YYYY-MM-DD`. */
export type LocalDate = string;

/** A local time of every day, or of one `weekday` (0 is Sunday) in every week. */
export type LocalTime = Readonly<{ weekday: number | null; hour: number; minute: number }>;

const MINUTE_MS = 60_000;
const DAY_MS = 86_400_000;

const formats = new Map<string, Intl.DateTimeFormat>();

function formatOf(timeZone: string): Intl.DateTimeFormat {
  let format = formats.get(timeZone);
  if (format === undefined) {
    format = new Intl.DateTimeFormat('en-US', {
      timeZone,
      calendar: 'iso8601',
      hourCycle: 'h23',
      year: 'numeric',
      month: 'numeric',
      day: 'numeric',
      hour: 'numeric',
      minute: 'numeric',
      second: 'numeric',
    });
    formats.set(timeZone, format);
  }
  return format;
}

/** The local time as if it were UTC: ms since the epoch, whole seconds. */
function wallTimeOf(instantMs: number, timeZone: string): number {
  const parts = new Map(
    formatOf(timeZone)
      .formatToParts(instantMs)
      .map((part) => [part.type, Number(part.value)]),
  );
  const of = (type: Intl.DateTimeFormatPartTypes): number => parts.get(type) ?? 0;
  return Date.UTC(of('year'), of('month') - 1, of('day'), of('hour'), of('minute'), of('second'));
}

function offsetMs(instantMs: number, timeZone: string): number {
  return wallTimeOf(instantMs, timeZone) - Math.floor(instantMs / 1_000) * 1_000;
}

/** The date in a time zone (IANA name) at an instant. */
export function localDateOf(instant: Date, timeZone: string): LocalDate {
  return new Date(wallTimeOf(instant.getTime(), timeZone)).toISOString().slice(0, 10);
}

/**
 * The instant of a local time. When summer time ends and the time occurs twice, the first; when summer time starts
 * and skips it, the time moved by the gap: 02:30 becomes 03:30.
 */
export function instantOf(date: LocalDate, hour: number, minute: number, timeZone: string): Date {
  const wanted = Date.parse(`${date}T00:00:00Z`) + hour * 60 * MINUTE_MS + minute * MINUTE_MS;
  // No zone changes its offset twice within two days.
  const before = wanted - offsetMs(wanted - DAY_MS, timeZone);
  const after = wanted - offsetMs(wanted + DAY_MS, timeZone);
  const shown = [before, after]
    .toSorted((a, b) => a - b)
    .find((candidate) => wallTimeOf(candidate, timeZone) === wanted);
  return new Date(shown ?? before);
}

/** The first instant of a date. */
export function startOfDay(date: LocalDate, timeZone: string): Date {
  return instantOf(date, 0, 0, timeZone);
}

export function addDays(date: LocalDate, days: number): LocalDate {
  return new Date(Date.parse(`${date}T00:00:00Z`) + days * DAY_MS).toISOString().slice(0, 10);
}

function weekdayOf(date: LocalDate): number {
  return new Date(`${date}T00:00:00Z`).getUTCDay();
}

/**
 * The scope of a compression: everything up to the end of `date`, the day before it is due. The date identifies the
 * period, whenever the run happens.
 */
export type Period = Readonly<{ date: LocalDate; dueAt: Date; until: Date }>;

/** The latest period that is due at `now`. */
export function latestPeriod(at: LocalTime, now: Date, timeZone: string): Period {
  let date = localDateOf(now, timeZone);
  for (;;) {
    const dueAt = instantOf(date, at.hour, at.minute, timeZone);
    if (dueAt <= now && (at.weekday === null || weekdayOf(date) === at.weekday)) {
      return { date: addDays(date, -1), dueAt, until: startOfDay(date, timeZone) };
    }
    date = addDays(date, -1);
  }
}

/** The period that ends with `date`, for a run that an operator starts and that is due at once. */
export function periodOf(date: LocalDate, now: Date, timeZone: string): Period {
  return { date, dueAt: now, until: startOfDay(addDays(date, 1), timeZone) };
}

/** The same moment as a cron pattern of five fields. */
export function toCronPattern(at: LocalTime): string {
  return `${at.minute} ${at.hour} * * ${at.weekday ?? '*'}`;
}
