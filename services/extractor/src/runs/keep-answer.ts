import { isAppError } from '@factmill/errors';

/** How long a paid answer waits for a database that is down before it is dropped. */
const PATIENCE_MS = 30_000;
const RETRY_MS = 500;

export type KeepAnswerDeps = Readonly<{
  /** Monotonic milliseconds. */
  now: () => number;
  /** Resolves after `ms`, or rejects when the signal fires. */
  wait: (ms: number, signal: AbortSignal) => Promise<void>;
}>;

/**
 * Pins a model's answer before it is used, so that no retry pays for it again.
 *
 * @throws AppError of `save`; `database_unavailable` only after half a minute
 */
export async function keepAnswer<T>(
  save: () => Promise<T>,
  { now, wait }: KeepAnswerDeps,
  signal: AbortSignal,
): Promise<T> {
  const giveUpAt = now() + PATIENCE_MS;
  for (;;) {
    try {
      return await save();
    } catch (error) {
      if (!isAppError(error) || error.code !== 'database_unavailable' || now() >= giveUpAt) throw error;
      await wait(RETRY_MS, signal);
    }
  }
}
