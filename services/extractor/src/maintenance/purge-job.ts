import { purge, purgeCompressionTexts, purgeEvents, type Sql } from '@factmill/database';
import type { JobOutcome } from '@factmill/queue';

const BATCH = 1_000;

/**
 * The `purge` job: removes expired and long-deleted memories and the texts of old compressions, and old events, in small
 * transactions (D18).
 */
export function createPurgeJob(deps: {
  database: Sql;
  deletedRetentionDays: number;
  eventRetentionDays: number;
}) {
  return async function purgeJob(signal: AbortSignal): Promise<JobOutcome> {
    let memories = 0;
    for (;;) {
      signal.throwIfAborted();
      const purged = await purge(deps.database, {
        deletedRetentionDays: deps.deletedRetentionDays,
        limit: BATCH,
      });
      memories += purged.memories;
      const runs = await purgeCompressionTexts(deps.database, {
        days: deps.deletedRetentionDays,
        limit: BATCH,
      });
      const events = await purgeEvents(deps.database, { days: deps.eventRetentionDays, limit: BATCH });
      if (purged.memories < BATCH && purged.idempotencyKeys < BATCH && runs < BATCH && events === 0)
        return { kind: 'done', counts: { memories } };
    }
  };
}
