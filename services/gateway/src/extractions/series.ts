import { MAX_SERIES_POINTS, type SeriesInterval, type SeriesPoint } from '@factmill/contracts';
import { AppError } from '@factmill/errors';

const INTERVAL_MS: Readonly<Record<SeriesInterval, number>> = {
  minute: 60_000,
  hour: 3_600_000,
  day: 86_400_000,
};
/** Without `since` a series has so many intervals. */
const DEFAULT_POINTS: Readonly<Record<SeriesInterval, number>> = { minute: 60, hour: 48, day: 30 };

type SeriesPeriod = Readonly<{ sinceMs: number; untilMs: number; interval: SeriesInterval }>;

/**
 * The period of a series, from the beginning of its first interval.
 *
 * @throws AppError `invalid_request` when it has no interval, or too many
 */
export function seriesPeriod(
  asked: Readonly<{ since?: string | undefined; until?: string | undefined; interval: SeriesInterval }>,
  now: Date,
): SeriesPeriod {
  const { interval } = asked;
  const stepMs = INTERVAL_MS[interval];
  const untilMs = asked.until === undefined ? now.getTime() : Date.parse(asked.until);
  const sinceMs =
    asked.since === undefined ? untilMs - (DEFAULT_POINTS[interval] - 1) * stepMs : Date.parse(asked.since);
  if (sinceMs >= untilMs) throw refused('since', 'must be before the end of the period');
  if ((untilMs - sinceMs) / stepMs > MAX_SERIES_POINTS) {
    throw refused('interval', `must be longer: a series has at most ${MAX_SERIES_POINTS} intervals`);
  }
  return { sinceMs: beginningOf(sinceMs, stepMs), untilMs, interval };
}

/** The series with the intervals in which nothing was accepted, too. */
export function fillSeries(
  { sinceMs, untilMs, interval }: SeriesPeriod,
  points: readonly SeriesPoint[],
): SeriesPoint[] {
  const byTime = new Map(points.map((point) => [Date.parse(point.at), point]));
  const filled: SeriesPoint[] = [];
  for (let at = sinceMs; at < untilMs; at += INTERVAL_MS[interval]) {
    filled.push(byTime.get(at) ?? { ...NOTHING, at: new Date(at).toISOString() });
  }
  return filled;
}

const NOTHING: Omit<SeriesPoint, 'at'> = {
  accepted: 0,
  done: 0,
  failed: 0,
  dropped: 0,
  skipped: 0,
  deferred: 0,
  waiting: 0,
  active: 0,
  latency_p50_ms: null,
  latency_p95_ms: null,
  model_calls: 0,
  prompt_tokens: 0,
  completion_tokens: 0,
};

/** Of the interval that a moment is in. Intervals of UTC begin at multiples of their length. */
function beginningOf(ms: number, stepMs: number): number {
  return Math.floor(ms / stepMs) * stepMs;
}

function refused(field: string, message: string): AppError {
  return new AppError('invalid_request', `${field}: ${message}.`, { fields: [{ field, message }] });
}
