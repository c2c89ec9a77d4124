/** Whether `work` settles within `ms`, by success or by failure. Never rejects. */
export function settlesWithin(work: Promise<unknown>, ms: number): Promise<boolean> {
  return new Promise<boolean>((resolve) => {
    const timer = setTimeout(() => resolve(false), ms);
    const settled = () => {
      clearTimeout(timer);
      resolve(true);
    };
    work.then(settled, settled);
  });
}

/** The result of `work`, or the signal's reason as soon as the signal fires. For work that cannot be cancelled. */
export async function untilAborted<T>(work: Promise<T>, signal: AbortSignal | undefined): Promise<T> {
  if (!signal) return work;
  let listener = (): void => {};
  const aborted = new Promise<never>((_, reject) => {
    listener = () => reject(signal.reason);
    signal.addEventListener('abort', listener, { once: true });
    if (signal.aborted) listener();
  });
  try {
    return await Promise.race([work, aborted]);
  } finally {
    signal.removeEventListener('abort', listener);
  }
}

export type Deadline = Readonly<{
  ms: number;
  /** The error when the time is over. */
  onTimeout: () => Error;
  /** Each of these signals ends the wait early, with its reason. */
  signals?: readonly (AbortSignal | undefined)[];
}>;

/**
 * The result of `call`. Its signal fires at the deadline, or when a signal of the caller fires; then this rejects
 * at once with the reason and does not wait for `call`. A late result or error of `call` is ignored.
 *
 * Listeners are removed again, so that a process-wide signal can be passed to every call.
 */
export async function withDeadline<T>(
  { ms, onTimeout, signals = [] }: Deadline,
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
    const timer = setTimeout(() => stop(onTimeout()), ms);
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
