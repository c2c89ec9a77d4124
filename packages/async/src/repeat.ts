import type { ChangeSignal } from './change-signal.ts';

export type Repeated = Readonly<{
  /** Starts no further round; resolves when the current one has ended. */
  close: () => Promise<void>;
}>;

/** Nothing is due for so long, unless something changes before. */
export type Idle = Readonly<{ idleMs: number }>;

/** A timer that believes that nothing is due looks nevertheless after this long. */
const MAX_IDLE_MS = 60_000;

/**
 * Runs `round` again and again: first after `firstMs`, then `everyMs` after each round has ended. A round that rejects
 * is told to `onError` and followed by the next one like any other.
 *
 * @param options.round gets a signal that fires on `close`. It may resolve to another time until the next round; or to
 *   `Idle`, and the next round comes when that time is over, a minute has gone, or `everyMs` after a change.
 * @param options.signal says what changes; without it, as where other processes change things too, `Idle` is not
 *   believed
 */
export function repeat(options: {
  firstMs: number;
  everyMs: number;
  round: (signal: AbortSignal) => Promise<number | Idle | void>;
  onError: (error: unknown) => void;
  signal?: ChangeSignal | null | undefined;
}): Repeated {
  const { everyMs, signal } = options;
  const closing = new AbortController();
  let running: Promise<void> = Promise.resolve();
  let timer: NodeJS.Timeout | undefined;
  let idleUntil: number | null = null;
  let hasChanged = false;
  const unsubscribe = signal?.subscribe(() => {
    hasChanged = true;
    if (idleUntil !== null) schedule(Math.min(everyMs, idleUntil - performance.now()));
  });

  async function run(): Promise<void> {
    let next: number | Idle | void = undefined;
    hasChanged = false;
    try {
      next = await options.round(closing.signal);
    } catch (error) {
      options.onError(error);
    }
    if (closing.signal.aborted) return;
    if (typeof next !== 'object') return schedule(next ?? everyMs);
    // What changes while a round looks may be too late for it.
    if (unsubscribe === undefined || hasChanged) return schedule(everyMs);
    const idleMs = Math.min(Math.max(next.idleMs, everyMs), MAX_IDLE_MS);
    schedule(idleMs);
    idleUntil = performance.now() + idleMs;
  }

  function schedule(ms: number): void {
    clearTimeout(timer);
    idleUntil = null;
    timer = setTimeout(() => {
      running = run();
    }, ms);
  }
  schedule(options.firstMs);

  return {
    async close() {
      closing.abort();
      unsubscribe?.();
      clearTimeout(timer);
      await running;
    },
  };
}
