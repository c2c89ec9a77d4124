/** Limits are written for a quiet machine; a busy one gets so many times as long before a test fails. */
const PATIENCE = 6;

/** A limit for what takes less than `quietMs` on a quiet machine, and for ever when it is broken. */
export function patiently(quietMs: number): number {
  return quietMs * PATIENCE;
}

export type WaitForOptions = Readonly<{
  /** On a quiet machine. Default 10 s. */
  timeoutMs?: number;
  /** Pause between two tries. Default 25 ms. */
  intervalMs?: number;
  /** Completes "timed out waiting for …". */
  describe: string;
}>;

/**
 * Tries `fn` until it returns something truthy, and returns that. A try that throws counts as "not yet"; its
 * error is the cause when time runs out.
 */
export async function waitFor<T>(
  fn: () => T | Promise<T>,
  options: WaitForOptions,
): Promise<Exclude<T, false | undefined | null | 0 | ''>> {
  const deadline = performance.now() + patiently(options.timeoutMs ?? 10_000);
  let lastError: unknown;
  for (;;) {
    try {
      const value = await fn();
      if (value) return value as Exclude<T, false | undefined | null | 0 | ''>;
      lastError = undefined;
    } catch (error) {
      lastError = error;
    }
    if (performance.now() >= deadline) {
      throw new Error(`timed out waiting for ${options.describe}`, { cause: lastError });
    }
    await new Promise((resolve) => setTimeout(resolve, options.intervalMs ?? 25));
  }
}
