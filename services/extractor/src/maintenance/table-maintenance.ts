import { type ChangeSignal, repeat, type Repeated } from '@factmill/async';
import { analyzeTable, type DatabasePool, listTablesToMaintain, vacuumTable } from '@factmill/database';
import { isAppError } from '@factmill/errors';
import type { Logger } from '@factmill/telemetry';

/** How long after the start, and after a look that found nothing to do, tables are looked at again. */
const LOOK_EVERY_MS = 5_000;
/** Work takes at most this share of the time: after a look that took long the next one waits longer. */
const MAX_SHARE_OF_TIME = 0.05;
/** Statistics of embedded storage are coarse: while they are taken, nobody else is served. */
const EMBEDDED_DETAIL = 10;

export type TableMaintenanceDeps = Readonly<{
  database: DatabasePool;
  /** Embedded storage has no autovacuum: dead rows are ours to remove as well. */
  isEmbedded: boolean;
  logger: Logger;
  signal: ChangeSignal | null;
}>;

export type TableMaintenance = Repeated &
  Readonly<{
    /** Does what is due; resolves to how many tables were analysed or vacuumed. */
    look: () => Promise<number>;
  }>;

/**
 * Keeps the planner's statistics near what tables hold, so that searches keep their plans: without them a search of
 * 5,000 memories took 13 s of processor time instead of 0.1. Postgres does it by itself, but up to a minute after a bulk
 * load, and not at all with autovacuum off; embedded storage never does. Looks at the start, and then every few seconds.
 * One table after the other, so that others get their turn in between.
 */
export function createTableMaintenance({
  database,
  isEmbedded,
  logger,
  signal,
}: TableMaintenanceDeps): TableMaintenance {
  async function look(closing?: AbortSignal): Promise<number> {
    const detail = isEmbedded ? EMBEDDED_DETAIL : null;
    let done = 0;
    for (const { name, analyze, vacuum } of await listTablesToMaintain(database)) {
      if (closing?.aborted === true) break;
      if (isEmbedded && vacuum) await vacuumTable(database, name);
      if (analyze) await analyzeTable(database, name, detail);
      if (analyze || isEmbedded) done += 1;
    }
    if (done > 0) logger.debug({ tables: done }, 'statistics of tables are up to date');
    return done;
  }

  const { close } = repeat({
    firstMs: 0,
    everyMs: LOOK_EVERY_MS,
    signal,
    round: async (closing) => {
      const startedAt = performance.now();
      if ((await look(closing)) === 0) return { idleMs: Number.POSITIVE_INFINITY };
      return Math.max(LOOK_EVERY_MS, (performance.now() - startedAt) / MAX_SHARE_OF_TIME);
    },
    onError: (error) =>
      logger.debug(
        { code: isAppError(error) ? error.code : 'internal' },
        'tables cannot be looked after now',
      ),
  });
  return { look, close };
}
