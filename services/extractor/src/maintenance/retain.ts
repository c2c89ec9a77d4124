import {
  agedKinds,
  beginDueRetentionRuns,
  type Database,
  findRetention,
  finishRetentionRun,
  listOpenRetentionRuns,
  type OpenRetentionRun,
  removeSomeRetained,
} from '@factmill/database';

/** Tenants of one job; the next one goes on. */
const RUNS_AT_ONCE = 100;

/**
 * Removes what tenants keep no longer, in small transactions: the runs that are due by the schedule and those asked for.
 * Safe to repeat: a run that was stopped goes on, and counts every row once. Resolves to how many runs ended.
 */
export function createRetain({ database }: Readonly<{ database: Database }>) {
  async function run(open: OpenRetentionRun, signal: AbortSignal): Promise<void> {
    const policy = await findRetention(database, open.tenantId);
    for (const { kind, days } of agedKinds(policy)) {
      let after: string | null = '';
      while (after !== null) {
        signal.throwIfAborted();
        after = await removeSomeRetained(database, open, kind, { days, after });
      }
    }
    await finishRetentionRun(database, open);
  }

  return async function retain(signal: AbortSignal): Promise<number> {
    await beginDueRetentionRuns(database, RUNS_AT_ONCE);
    const runs = await listOpenRetentionRuns(database, RUNS_AT_ONCE);
    for (const open of runs) await run(open, signal);
    return runs.length;
  };
}
