import type { CompressionConfig } from '@factmill/config';
import {
  advancePeriod,
  type CompressionPeriod,
  type DatabasePool,
  insertCompressionRuns,
  isPeriodFinished,
  listEventOwners,
  listKnowledgeOwners,
  lockPeriod,
  type OpenCompressionRun,
  type Sql,
} from '@factmill/database';
import { latestPeriod } from '@factmill/extraction';
import { compressJob, type JobOutcome, type Queues } from '@factmill/queue';
import { FADING_CATEGORIES } from '@factmill/ranking';

/** Users per transaction. */
const PAGE = 500;

export type DuePeriodsDeps = Readonly<{
  database: DatabasePool;
  queues: Pick<Queues, 'enqueue'>;
  config: CompressionConfig;
  timeZone: string;
  newId: () => string;
  now: () => Date;
}>;

export type DuePeriods = Readonly<{
  /** The due periods in which some users have no run yet. */
  find: () => Promise<CompressionPeriod[]>;
  /**
   * The `compress-due` job: creates a run for every user with work in a due period. Safe to repeat and in parallel.
   */
  run: (signal: AbortSignal) => Promise<JobOutcome>;
}>;

/**
 * Decides from the clock and the ledger alone which compressions are due; a schedule of the queue, a timer or a start
 * only triggers the check. Of several missed periods the latest runs: a daily run covers every uncompressed event,
 * however old, and a weekly run every change.
 */
export function createDuePeriods(deps: DuePeriodsDeps): DuePeriods {
  const { database } = deps;

  async function find(): Promise<CompressionPeriod[]> {
    const now = deps.now();
    const due = (['daily', 'weekly'] as const).flatMap((kind): CompressionPeriod[] => {
      const at = deps.config[kind];
      if (at === null) return [];
      const { date, dueAt, until } = latestPeriod(at, now, deps.timeZone);
      return [{ kind, period: date, dueAt, until }];
    });
    const finished = await Promise.all(due.map((period) => isPeriodFinished(database, period)));
    return due.filter((_period, index) => finished[index] === false);
  }

  return {
    find,
    async run(signal) {
      let runs = 0;
      for (const period of await find()) {
        for (;;) {
          signal.throwIfAborted();
          const added = await addPage(period);
          if (added === null) break;
          runs += added.length;
          // The sweeper adds runs that fail to get into the queue.
          await deps.queues.enqueue(added.map(compressJob)).catch(() => undefined);
        }
      }
      return { kind: 'done', counts: { runs } };
    },
  };

  /** Creates runs for the next users of a period; null when there are no more. */
  function addPage(period: CompressionPeriod): Promise<OpenCompressionRun[] | null> {
    return database.transaction(async (tx) => {
      const after = await lockPeriod(tx, period);
      if (after === null) return null;
      const owners = await listOwners(tx, period, after);
      const added = await insertCompressionRuns(
        tx,
        owners
          .filter(({ hasWork }) => hasWork)
          .map(({ tenantId, userId }) => ({
            id: deps.newId(),
            tenantId,
            userId,
            kind: period.kind,
            period: period.period,
            until: period.until,
            dryRun: false,
          })),
      );
      const last = owners.at(-1);
      await advancePeriod(tx, period, {
        after: last === undefined ? after : { afterTenant: last.tenantId, afterUser: last.userId },
        runs: added.length,
        finished: owners.length < PAGE,
      });
      return added;
    });
  }

  function listOwners(
    tx: Sql,
    period: CompressionPeriod,
    after: Parameters<typeof listEventOwners>[1]['after'],
  ) {
    return period.kind === 'daily'
      ? listEventOwners(tx, { after, until: period.until, limit: PAGE })
      : listKnowledgeOwners(tx, {
          after,
          dueAt: period.dueAt,
          fadingCategories: FADING_CATEGORIES,
          limit: PAGE,
        });
  }
}
