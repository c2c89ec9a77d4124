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

/** Users in one transaction. */
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
  /** The periods that are due and whose users do not all have their run yet. */
  find: () => Promise<CompressionPeriod[]>;
  /** The `compress-due` job: gives every user with work in a due period a run. Any number of times, at once. */
  run: (signal: AbortSignal) => Promise<JobOutcome>;
}>;

/**
 * Which compressions are due, decided from the clock and the ledger alone; whoever asks (a schedule of the queue, a
 * timer, a start after days of standstill) only asks. Of several missed periods the latest runs: a daily run takes up
 * every event that still waits, however old, and a weekly run whatever has changed.
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
          // The sweep asks for those that do not get through.
          await deps.queues.enqueue(added.map(compressJob)).catch(() => undefined);
        }
      }
      return { kind: 'done', counts: { runs } };
    },
  };

  /** Runs for the next users of a period; null when there are no more. */
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
