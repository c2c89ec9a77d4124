import { setTimeout as delay } from 'node:timers/promises';

/** Resolves when `work` has settled, or after `ms`. */
export async function settlesWithin(work: Promise<unknown>, ms: number): Promise<void> {
  const timer = new AbortController();
  await Promise.race([
    work.catch(() => undefined),
    delay(ms, undefined, { signal: timer.signal }).catch(() => undefined),
  ]);
  timer.abort();
}
