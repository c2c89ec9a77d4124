import type { Sql } from '@factmill/database';
import { LRUCache } from 'lru-cache';
import { createFindLexemes, type FindLexemes } from './lexemes.ts';
import { loadUserIndex, type UserKey } from './load-user-index.ts';
import type { UserIndex } from './user-index.ts';

/** The indexes of users that are searched again and again, in the memory of this process. */
export type ResidentIndexes = Readonly<{
  get: (user: UserKey) => UserIndex | undefined;
  /** Says that a user was searched without an index. The second time it is loaded, beside the searches. */
  recordMiss: (user: UserKey) => void;
  /** Drops an index that is outdated. It is loaded again when the user is searched again. */
  evict: (user: UserKey) => void;
  /** Resolves when nothing is being loaded. */
  idle: () => Promise<void>;
  findLexemes: FindLexemes;
}>;

export type ResidentIndexesDeps = Readonly<{
  database: Sql;
  /** Where the next index is loaded from; default: always `database`. */
  pickDatabase?: () => Promise<Sql>;
  /** Milliseconds, of a clock that only goes forward. */
  now: () => number;
  /** Default 128 MiB. */
  maxBytes?: number;
}>;

/** Indexes of 900,000 memories of 13 lexemes and 384 components. */
const MAX_BYTES = 128 * 1024 * 1024;
/** Of that, one user's: 110,000 memories. */
const MAX_SHARE = 1 / 8;
/**
 * Loaded again after so long: restores and failovers can rewind the transaction counter to before the watermark.
 */
const MAX_AGE_MS = 10 * 60_000;
/** Users that were searched once are remembered. */
const MAX_MISSES = 10_000;

export function createResidentIndexes(deps: ResidentIndexesDeps): ResidentIndexes {
  const { now, maxBytes = MAX_BYTES, pickDatabase = () => Promise.resolve(deps.database) } = deps;
  // Null: an index would be of no use now.
  const indexes = new LRUCache<string, Readonly<{ index: UserIndex | null; bytes: number }>>({
    maxSize: maxBytes,
    sizeCalculation: ({ bytes }) => Math.max(1, bytes),
    ttl: MAX_AGE_MS,
    ttlResolution: 0,
    perf: { now },
  });
  const misses = new LRUCache<string, true>({ max: MAX_MISSES });
  const loading = new Map<string, Promise<void>>();

  /** Nothing depends on it: when the database cannot be asked, the searches themselves say so. */
  async function load(key: string, user: UserKey): Promise<void> {
    const start = now();
    try {
      const loaded = await loadUserIndex(await pickDatabase(), user, maxBytes * MAX_SHARE);
      indexes.set(key, { index: loaded?.index ?? null, bytes: loaded?.bytes ?? 0 }, { start });
    } catch {
      // Loaded at the next search.
    } finally {
      loading.delete(key);
    }
  }

  return {
    get: (user) => indexes.get(keyOf(user))?.index ?? undefined,
    recordMiss(user) {
      const key = keyOf(user);
      const isFirst = !misses.has(key);
      misses.set(key, true);
      if (isFirst || loading.has(key) || indexes.has(key)) return;
      loading.set(key, load(key, user));
    },
    evict: (user) => {
      indexes.delete(keyOf(user));
    },
    idle: async () => {
      await Promise.all(loading.values());
    },
    findLexemes: createFindLexemes(),
  };
}

function keyOf({ tenantId, userId }: UserKey): string {
  return JSON.stringify([tenantId, userId]);
}
