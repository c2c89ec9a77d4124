import type { FactmillError } from './factmill-error.ts';
import type { Repeat } from './operations.ts';

/**
 * Pause before the second attempt; it doubles before each further one. Long enough for a restarted server to
 * listen.
 */
const FIRST_PAUSE_MS = 250;
const LONGEST_PAUSE_MS = 8_000;
/** When a server asks for a longer pause, the caller decides. */
const LONGEST_RETRY_AFTER_SECONDS = 60;

/**
 * Statuses of passing failures: timeouts, rate limits, outages of proxies and servers. A 500 is a bug and will not
 * pass.
 */
const PASSING_STATUSES = new Set([408, 429, 502, 503, 504]);
/** Codes of a server that refuses a request before it begins with it. */
const REFUSALS = new Set(['overloaded', 'shutting_down']);

/** Whether the server certainly did not do what the call asked for. */
export function isUndone(error: FactmillError): boolean {
  if (error.kind === 'connection') return error.code === 'unreachable';
  return error.status === 429 || (error.status === 503 && REFUSALS.has(error.code));
}

/** Whether a failed call may be repeated: the failure passes, and a repeat does nothing twice. */
export function mayRepeat(repeat: Repeat, error: FactmillError): boolean {
  if (repeat === 'unless_begun') return isUndone(error);
  if (error.kind === 'status') return PASSING_STATUSES.has(error.status ?? 0);
  return error.kind !== 'unreadable';
}

/**
 * Milliseconds to pause before an attempt; null when there is none. The server's Retry-After is the minimum; the
 * rest is random, so that clients that failed together do not come back together.
 *
 * @param retry 1 for the second attempt
 * @param random in [0, 1)
 */
export function pauseBefore(
  retry: number,
  retryAfterSeconds: number | undefined,
  random: number,
): number | null {
  const backoffMs = Math.min(LONGEST_PAUSE_MS, FIRST_PAUSE_MS * 2 ** (retry - 1));
  if (retryAfterSeconds === undefined) return backoffMs / 2 + (backoffMs / 2) * random;
  if (retryAfterSeconds > LONGEST_RETRY_AFTER_SECONDS) return null;
  return retryAfterSeconds * 1_000 + (backoffMs / 2) * random;
}
