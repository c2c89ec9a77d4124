import { isAppError } from '@factmill/errors';
import type { FetchProgress } from './fetch-file.ts';

type LogFields = Readonly<Record<string, unknown>>;

/** The part of a logger that is used here. */
type Log = Readonly<{ info: (fields: LogFields, message: string) => void }>;

/** Logs how far the files of a model are. */
export function reportFetch(logger: Log): (progress: FetchProgress) => void {
  return ({ file, bytes, totalBytes }) =>
    logger.info({ file, bytes, total_bytes: totalBytes }, 'fetching a model');
}

/**
 * What a log says of a model that cannot be loaded: the code, what to do, and the runtime's own words. No text of a
 * user is involved in loading.
 */
export function describeLoadError(
  error: unknown,
): Readonly<{ code: string; reason?: string; detail?: string }> {
  if (!isAppError(error)) return { code: 'internal' };
  const { code, message, cause } = error;
  return { code, reason: message, ...(cause instanceof Error ? { detail: cause.message } : {}) };
}
