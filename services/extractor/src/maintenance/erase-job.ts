import { type Database, eraseSome, findOpenErasure, finishErasure } from '@factmill/database';
import type { JobData } from '@factmill/contracts';
import type { JobOutcome } from '@factmill/queue';

/** Rows of one statement, so that it ends soon and holds up nobody. */
const BATCH = 500;

/**
 * The `erase` job: deletes everything of a user in small transactions, until a round finds nothing and nobody is
 * writing (D17). Safe to repeat: what a stopped run has deleted stays deleted and counted.
 */
export function createEraseJob({ database }: Readonly<{ database: Database }>) {
  return async function eraseJob(
    { tenantId, erasureId }: JobData<'erase'>,
    signal: AbortSignal,
  ): Promise<JobOutcome> {
    const erasure = await findOpenErasure(database, tenantId, erasureId);
    if (erasure === undefined) return { kind: 'done', counts: { already_over: 1 } };
    let rows = 0;
    for (;;) {
      signal.throwIfAborted();
      const erased = await eraseSome(database, erasure, BATCH);
      rows += erased;
      if (erased > 0) continue;
      const isOver = await finishErasure(database, erasure);
      // Another worker may have ended it meanwhile.
      if (isOver || (await findOpenErasure(database, tenantId, erasureId)) === undefined) break;
    }
    return { kind: 'done', counts: { erased_rows: rows } };
  };
}
