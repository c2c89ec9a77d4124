import type { FactmillError } from './factmill-error.ts';
import type { Repeat } from './operations.ts';

/** Pause before the second try, doubled before each further one: long enough for a restarted server to listen. */
const FIRST_PAUSE_MS = 250;
const LONGEST_PAUSE_MS = 8_000;
/** A server that wants to be left alone for longer than this is the caller's to decide about. */
const LONGEST_RETRY_AFTER_SECONDS = 60;

/** Statuses that pass: too slow, too many, a proxy's and a server's outages. Not 500, which is a bug and stays one. */
const PASSING_STATUSES = new Set([408, 429, 502, 503, 504]);
/** Codes of a server that refuses a request before it begins with it. */
const REFUSALS = new Set(['overloaded', 'shutting_down']);

/** Whether it is certain that the server has not done what was asked, although it may have been asked. */
export function isUndone(error: FactmillError): boolean {
  if (error.kind === 'connection') return error.code === 'unreachable';
  return error.status === 429 || (error.status === 503 && REFUSALS.has(error.code));
}

/** Whether a failed call may be made again: the failure passes, and nothing can happen twice by it. */
export function mayRepeat(repeat: Repeat, error: FactmillError): boolean {
  if (repeat === 'unless_begun') return isUndone(error);
  if (error.kind === 'status') return PASSING_STATUSES.has(error.status ?? 0);
  return error.kind !== 'unreadable';
}

/**
 * Milliseconds to pause before a try, null for not to try again. What the server asks for is the least; the rest is
 * spread at random, so that clients that failed together do not come back together.
 *
 * @param retry 1 for the second try
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
