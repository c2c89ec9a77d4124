import { purge, purgeCompressionTexts, type Sql } from '@factmill/database';
import type { JobOutcome } from '@factmill/queue';

const BATCH = 1_000;

/**
 * The `purge` job: removes expired and long-deleted memories and the texts of old compressions, in small transactions
 * (D18).
 */
export function createPurgeJob(deps: { database: Sql; deletedRetentionDays: number }) {
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
      if (purged.memories < BATCH && purged.idempotencyKeys < BATCH && runs < BATCH)
        return { kind: 'done', counts: { memories } };
    }
  };
}
