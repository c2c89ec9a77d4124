import { CallTimeoutError } from '../errors/error-signals.ts';

/**
 * Runs `call` with a signal that fires at the deadline or when one of the callers' signals does. Rejects at once
 * with that signal's reason, or with CallTimeoutError; never waits for `call` to notice.
 *
 * Listeners are taken off again, so that a signal that lives as long as the process can be passed to every call.
 */
export async function withDeadline<T>(
  timeoutMs: number,
  signals: readonly (AbortSignal | undefined)[],
  call: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
  for (const signal of signals) signal?.throwIfAborted();
  const controller = new AbortController();
  const undo: (() => void)[] = [];
  const stopped = new Promise<never>((_, reject) => {
    const stop = (reason: unknown): void => {
      reject(reason);
      controller.abort(reason);
    };
    const timer = setTimeout(() => stop(new CallTimeoutError()), timeoutMs);
    undo.push(() => clearTimeout(timer));
    for (const signal of signals) {
      if (!signal) continue;
      const listener = (): void => stop(signal.reason);
      signal.addEventListener('abort', listener, { once: true });
      undo.push(() => signal.removeEventListener('abort', listener));
    }
  });
  try {
    return await Promise.race([call(controller.signal), stopped]);
  } finally {
    for (const step of undo) step();
  }
}
