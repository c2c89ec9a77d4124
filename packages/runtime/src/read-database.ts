import { createBatcher, repeat, withDeadline } from '@factmill/async';
import { type DatabasePool, isFaultOfServer, isRetryableConflict, type Sql } from '@factmill/database';
import { AppError, isAppError } from '@factmill/errors';
import { createCounter, type Logger, seriesOf } from '@factmill/telemetry';
import { setTimeout as delay } from 'node:timers/promises';

export type ReadDatabase = Readonly<{
  /** Where a search reads: it finds everything that was committed before the call. */
  pick: () => Promise<Sql>;
  close: () => Promise<void>;
}>;

export type ReadDatabaseDeps = Readonly<{
  primary: DatabasePool;
  /** A streaming replica of it; null without one. */
  replica: DatabasePool | null;
  logger: Logger;
}>;

/** What a replica is good for: `behind` has not applied all yet, `foreign` is no replica of this primary. */
type ReplicaState = 'current' | 'behind' | 'unreachable' | 'foreign';

/**
 * A search waits so long for a replica to apply what the primary has written, and asks so often: 1, 2, 4, 8 and 16 ms
 * apart. Both servers together may take no longer than the deadline.
 */
const PAUSES_MS = [1, 2, 4, 8, 16] as const;
const DEADLINE_MS = 250;
/** How often a replica that is not used is looked at. */
const LOOK_EVERY_MS = 500;
/** Searches that share one question. */
const MAX_SHARED = 10_000;

/**
 * Reads from a replica whenever it has all that was committed before: the position of the primary's log is read for
 * each search (those that come meanwhile share the next question), and the replica has to have applied it. Otherwise
 * the primary answers. So what was written, and what was erased, counts in the next search, whatever the lag is.
 *
 * A replica that lags, or cannot be reached, is looked at in the background, and no search waits for it.
 */
export function createReadDatabase({ primary, replica, logger }: ReadDatabaseDeps): ReadDatabase {
  if (replica === null) return { pick: () => Promise.resolve(primary), close: () => Promise.resolve() };
  const count = createCounter(
    'factmill_search_reads_total',
    'Searches, by the server that they read from while a read replica is configured',
    seriesOf({ server: ['primary', 'replica'] }),
  );
  let state: ReplicaState = 'behind';

  const become = (next: ReplicaState, error?: unknown): ReplicaState => {
    const fields = isAppError(error) ? { code: error.code } : {};
    if (next !== state && next === 'unreachable') logger.warn(fields, 'the read replica cannot be asked');
    if (next !== state && next === 'foreign') {
      logger.error('DATABASE_READ_URL is no replica of DATABASE_URL; searches read from the primary');
    }
    return (state = next);
  };

  const look = async (): Promise<ReplicaState> => {
    try {
      const late = () => new AppError('database_unavailable', 'The read replica gives no answer.');
      return become(
        await withDeadline({ ms: DEADLINE_MS, onTimeout: late }, () => compare(primary, replica)),
      );
    } catch (error) {
      return become('unreachable', error);
    }
  };

  const questions = createBatcher<null, ReplicaState>({
    maxSize: MAX_SHARED,
    maxInFlight: 1,
    run: async (searches) => {
      const found = await look();
      return searches.map(() => found);
    },
    failureOf: () => 'batch',
  });
  const looking = repeat({
    firstMs: 0,
    everyMs: LOOK_EVERY_MS,
    round: async () => {
      if (state !== 'current') await look();
    },
    onError: () => undefined,
  });

  return {
    async pick() {
      const isCurrent = state === 'current' && (await questions.submit(null)) === 'current';
      count(1, { server: isCurrent ? 'replica' : 'primary' });
      if (!isCurrent) return primary;
      return untilFault(replica, primary, (error) => become('unreachable', error));
    },
    close: looking.close,
  };
}

/** Whether the replica has all that the primary had written when this was called. */
async function compare(primary: DatabasePool, replica: DatabasePool): Promise<ReplicaState> {
  const { position, system } = await primary.as('system').one<{ position: string; system: string }>(
    // Written to disk: later than every commit that was answered.
    `select pg_current_wal_flush_lsn()::text as position, system_identifier::text as system from pg_control_system()`,
    [],
    { name: 'primary_position' },
  );
  for (const pauseMs of [...PAUSES_MS, null]) {
    const at = await replica.as('system').one<{ isReplica: boolean; hasAll: boolean | null; system: string }>(
      `select pg_is_in_recovery() as "isReplica", pg_last_wal_replay_lsn() >= $1::pg_lsn as "hasAll",
         system_identifier::text as system from pg_control_system()`,
      [position],
      { name: 'replica_position' },
    );
    if (!at.isReplica || at.system !== system) return 'foreign';
    if (at.hasAll === true) return 'current';
    if (pauseMs !== null) await delay(pauseMs);
  }
  return 'behind';
}

/**
 * The replica until it fails a statement, which the primary then answers like all that follow: a replica ends queries
 * that hold up what it has to apply, and may go away. Never back, because one search must not read from the past of
 * what it has read before.
 */
function untilFault(replica: Sql, primary: Sql, onFault: (error: unknown) => void): Sql {
  let current = replica;
  async function ask<T>(statement: (sql: Sql) => Promise<T>): Promise<T> {
    const asked = current;
    try {
      return await statement(asked);
    } catch (error) {
      if (asked === primary || !isFaultOfServer(error)) throw error;
      if (current === replica && !isRetryableConflict(error)) onFault(error);
      current = primary;
      return statement(primary);
    }
  }
  return {
    query: (text, values, options) => ask((sql) => sql.query(text, values, options)),
    one: (text, values, options) => ask((sql) => sql.one(text, values, options)),
    maybeOne: (text, values, options) => ask((sql) => sql.maybeOne(text, values, options)),
  };
}
