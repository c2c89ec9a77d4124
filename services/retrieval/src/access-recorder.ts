import { type Access, recordAccesses, type Sql } from '@factmill/database';
import { isAppError } from '@factmill/errors';
import type { Logger } from '@factmill/telemetry';

export type AccessRecorder = Readonly<{
  /** Counts one access of each memory. Returns at once. */
  record: (tenantId: string, memoryIds: readonly string[]) => void;
  /** Writes what is left and stops. */
  close: () => Promise<void>;
}>;

export type AccessRecorderDeps = Readonly<{
  database: Sql;
  logger: Logger;
  now: () => Date;
  intervalMs?: number;
}>;

const INTERVAL_MS = 5_000;
/**
 * Writes at least this many memories at once, or this share of the waiting ones. Popular memories are thus written
 * once for many accesses, and all within about half a minute.
 */
const MIN_AT_ONCE = 200;
const SHARE_AT_ONCE = 1 / 6;
/** Limit of waiting memories. Further ones are not counted while the database is away. */
const MAX_WAITING = 50_000;

/**
 * Counts how often searches return a memory. Counts collect in memory, and one statement every five seconds writes
 * the oldest, so that searches do not wait. These are statistics: a killed process loses the waiting counts.
 */
export function createAccessRecorder(deps: AccessRecorderDeps): AccessRecorder {
  // In the order of their first access.
  const waiting = new Map<string, Access>();
  let writing: Promise<void> = Promise.resolve();
  const timer = setInterval(() => {
    writing = writing.then(() => write(Math.max(MIN_AT_ONCE, Math.ceil(waiting.size * SHARE_AT_ONCE))));
  }, deps.intervalMs ?? INTERVAL_MS);
  timer.unref();

  function add(access: Access): void {
    const known = waiting.get(access.memoryId);
    if (known === undefined && waiting.size >= MAX_WAITING) return;
    waiting.set(access.memoryId, {
      ...access,
      count: access.count + (known?.count ?? 0),
      lastAt: known !== undefined && known.lastAt > access.lastAt ? known.lastAt : access.lastAt,
    });
  }

  async function write(most: number): Promise<void> {
    if (waiting.size === 0) return;
    const batch = [...waiting.values()].slice(0, most);
    for (const { memoryId } of batch) waiting.delete(memoryId);
    try {
      await recordAccesses(deps.database, batch);
    } catch (error) {
      for (const access of batch) add(access);
      deps.logger.debug(
        { code: isAppError(error) ? error.code : 'internal', memories: batch.length },
        'accesses are counted later',
      );
    }
  }

  return {
    record: (tenantId, memoryIds) => {
      const lastAt = deps.now();
      for (const memoryId of memoryIds) add({ tenantId, memoryId, count: 1, lastAt });
    },
    close: async () => {
      clearInterval(timer);
      await writing;
      await write(waiting.size);
    },
  };
}
