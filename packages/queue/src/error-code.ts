import { isAppError } from '@factmill/errors';

/**
 * A short code for a log line, from any thrown value: never the message, which may hold addresses, user names or
 * text.
 */
export function errorCodeOf(error: unknown): string {
  if (isAppError(error)) return error.code;
  if (typeof error !== 'object' || error === null) return 'unknown';
  const { code, name } = error as { code?: unknown; name?: unknown };
  if (typeof code === 'string' || typeof code === 'number') return String(code);
  return typeof name === 'string' ? name : 'unknown';
}

/**
 * The form of a failure reason in the queue and on dashboards: a code stays, anything else becomes `failed`, so
 * that no error text of a model or a database is kept.
 */
export function toFailureReason(reason: string): string {
  return /^[a-z][a-z0-9_]{0,63}$/.test(reason) ? reason : 'failed';
}
