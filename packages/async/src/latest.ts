export type LatestDeps<T> = Readonly<{
  load: () => Promise<T>;
  /** Until it could be loaded for the first time. */
  initial: T;
  /** How long a loaded value is used. */
  everyMs: number;
  /** Milliseconds. */
  now: () => number;
}>;

export type Latest<T> = Readonly<{
  /** The value, loaded again when it is older than `everyMs`. Never rejects. */
  read: () => Promise<T>;
  /** The value that was loaded last. */
  known: () => T;
}>;

/**
 * A value that something else may change, loaded at most every so often. While it cannot be loaded, the last one counts.
 * Only the caller that loads it waits, except before the first time: then all do.
 */
export function createLatest<T>(deps: LatestDeps<T>): Latest<T> {
  let value = deps.initial;
  let askedAt = Number.NEGATIVE_INFINITY;
  let first: Promise<void> | undefined;

  async function load(): Promise<void> {
    askedAt = deps.now();
    try {
      value = await deps.load();
    } catch {
      // The next statement meets the same database and reports the error.
    }
  }

  return {
    async read() {
      if (first === undefined) first = load();
      else if (deps.now() - askedAt >= deps.everyMs) await load();
      await first;
      return value;
    },
    known: () => value,
  };
}
