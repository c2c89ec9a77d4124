/** Some endpoints answer with days; the breaker asks again after this long at most. */
const MAX_RETRY_AFTER_SECONDS = 3600;

/**
 * Seconds until the endpoint accepts calls again, from `retry-after-ms` or `Retry-After` (seconds or an HTTP date):
 * a whole number from 0 to 3600, rounded up; undefined when there is none that can be read.
 */
export function parseRetryAfter(headers: Headers, nowMs: number): number | undefined {
  const milliseconds = readNumber(headers.get('retry-after-ms'));
  if (milliseconds !== undefined) return toWaitSeconds(milliseconds / 1000);
  const value = headers.get('retry-after');
  const seconds = readNumber(value);
  if (seconds !== undefined) return toWaitSeconds(seconds);
  const dateMs = value === null ? Number.NaN : Date.parse(value);
  return Number.isNaN(dateMs) ? undefined : toWaitSeconds((dateMs - nowMs) / 1000);
}

function readNumber(value: string | null): number | undefined {
  return value !== null && /^\d+(\.\d+)?$/.test(value.trim()) ? Number(value) : undefined;
}

function toWaitSeconds(seconds: number): number {
  return Math.min(MAX_RETRY_AFTER_SECONDS, Math.max(0, Math.ceil(seconds)));
}
