import type { Sql } from '@factmill/database';

/**
 * What searches need of owners that are searched again and again, in the memory of this process. What was written since
 * it was read is not in it: a search asks for that beside it, by the number of its transaction, so that nothing has to
 * be told of a change.
 */
export type Kept<Owner, Value> = Readonly<{
  /** What is kept of an owner, when there is something. */
  of: (owner: Owner) => Value | undefined;
  /** Says that an owner with much was searched without it. The second time it is read, behind the scenes. */
  miss: (sql: Sql, owner: Owner) => void;
  /** Forgets what too much was written since. It is read again when the owner is searched again. */
  forget: (owner: Owner) => void;
  /** Resolves when what is being read has been read. */
  settled: () => Promise<void>;
}>;

export type KeptOptions = Readonly<{
  /** Milliseconds, of a clock that only goes forward. */
  now: () => number;
  /** Default 64 MiB. */
  mostBytes?: number;
}>;

type KeptOf<Owner, Value> = KeptOptions &
  Readonly<{
    keyOf: (owner: Owner) => string;
    /** Null when it takes more bytes than it may, or would be of no use. */
    read: (sql: Sql, owner: Owner, mostBytes: number) => Promise<Value | null>;
    sizeOf: (value: Value) => number;
    /** After how many milliseconds it is outdated, if nothing is written; default: as late as everything. */
    maxAgeOf?: (value: Value) => number;
  }>;

/** A million vectors of 384 components, or the words of 800,000 memories of 13. */
const MOST_BYTES = 64 * 1024 * 1024;
/** Of that, one owner's: 155,000 vectors of 384 components, 42,000 of 1,536. */
const MOST_OF_ONE = 1 / 8;
/**
 * Read again after so long: a server that was set back (restored, or a replica that lacked something when it took over)
 * may count its transactions from before what was read has seen.
 */
const MOST_AGE_MS = 10 * 60_000;
/** What more was written since is of no use: that is looked at one by one beside it. */
export const MOST_WRITTEN = 200;
/** Owners that were searched once are remembered, so many of them. */
const MOST_SEEN = 10_000;

export function createKept<Owner, Value>(options: KeptOf<Owner, Value>): Kept<Owner, Value> {
  const { now, mostBytes = MOST_BYTES, keyOf } = options;
  // Both in the order of their use. Null: it would be of no use.
  const entries = new Map<string, Readonly<{ value: Value | null; bytes: number; until: number }>>();
  const seen = new Set<string>();
  const reading = new Map<string, Promise<void>>();
  let bytes = 0;

  function remove(key: string): void {
    bytes -= entries.get(key)?.bytes ?? 0;
    entries.delete(key);
  }

  const isOld = ({ until }: Readonly<{ until: number }>) => now() > until;

  /** Nothing depends on it: where the database cannot be asked, the searches themselves say so. */
  async function read(sql: Sql, key: string, owner: Owner): Promise<void> {
    const readAt = now();
    try {
      const value = await options.read(sql, owner, mostBytes * MOST_OF_ONE);
      const maxAgeMs = value === null ? MOST_AGE_MS : (options.maxAgeOf?.(value) ?? MOST_AGE_MS);
      const entry = {
        value,
        bytes: value === null ? 0 : options.sizeOf(value),
        until: readAt + Math.min(MOST_AGE_MS, maxAgeMs),
      };
      remove(key);
      entries.set(key, entry);
      bytes += entry.bytes;
      for (const [oldest, other] of entries) if (bytes > mostBytes || isOld(other)) remove(oldest);
    } catch {
      // Read at the next search.
    } finally {
      reading.delete(key);
    }
  }

  return {
    of(owner) {
      const key = keyOf(owner);
      const entry = entries.get(key);
      if (entry === undefined) return undefined;
      if (isOld(entry)) {
        remove(key);
        return undefined;
      }
      entries.delete(key);
      entries.set(key, entry);
      return entry.value ?? undefined;
    },
    miss(sql, owner) {
      const key = keyOf(owner);
      const isKnown = seen.delete(key);
      seen.add(key);
      for (const first of seen) {
        if (seen.size <= MOST_SEEN) break;
        seen.delete(first);
      }
      if (!isKnown || reading.has(key) || entries.has(key)) return;
      reading.set(key, read(sql, key, owner));
    },
    forget: (owner) => {
      remove(keyOf(owner));
    },
    settled: async () => {
      await Promise.all(reading.values());
    },
  };
}
