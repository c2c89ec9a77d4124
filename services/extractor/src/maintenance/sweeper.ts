import { type ChangeSignal, repeat, type Repeated } from '@factmill/async';
import {
  countPendingChunks,
  countPendingEmbeddings,
  countPendingTurnParts,
  hasUnindexedTurn,
  isExtractionOpen,
  listOpenErasures,
  type Sql,
  takeUnattended,
} from '@factmill/database';
import { isAppError } from '@factmill/errors';
import {
  eraseJob,
  extractJob,
  extractJobId,
  heartbeatJobId,
  type JobEntry,
  type Queues,
} from '@factmill/queue';
import { createCounter, type Logger } from '@factmill/telemetry';

export type SweeperDeps = Readonly<{
  database: Sql;
  queues: Queues;
  logger: Logger;
  intervalMs: number;
  graceMs: number;
  defaultTenantId: string;
  wantsEmbedding: boolean;
  /** Whether stored turns are made searchable. */
  indexesTurns: boolean;
  /** Whether the vectors of a newly configured model are to be built. */
  isBuilding: () => Promise<boolean>;
  signal: ChangeSignal | null;
  now: () => number;
}>;

export type Sweeper = Repeated &
  Readonly<{
    /** One round; resolves to how many extractions went back into the queue. */
    sweep: () => Promise<number>;
  }>;

const PAGE = 500;
const FIRST_AFTER_MS = 500;
const HEARTBEAT_INTERVAL_MS = 5_000;
const EMBED_INTERVAL_MS = 10_000;
/** Erasures that one round looks at. */
const MAX_ERASURES = 100;
const PURGE_INTERVAL_MS = 3_600_000;

/**
 * Makes the queue agree with the ledger, whatever happened to the queue (G1): open extractions that nobody works
 * on and that the queue does not know go back into it. Runs in every extractor on a timer of its own rather than
 * as a scheduled job, because the schedule would be lost together with the queue. Rounds of several processes
 * take different rows. Also asks for the periodic jobs; their ids make that once per interval for all processes.
 */
export function createSweeper(deps: SweeperDeps): Sweeper {
  const countRequeued = createCounter(
    'factmill_extractions_requeued_total',
    'Extractions the sweeper put back',
    [{}],
  );
  async function sweep(): Promise<number> {
    let requeued = 0;
    for (;;) {
      const open = await takeUnattended(deps.database, { graceMs: deps.graceMs, limit: PAGE });
      if (open.length === 0) break;
      const missing = new Set(await deps.queues.missing('extract', open.map(extractJobId)));
      const lost = open.filter((extraction) => missing.has(extractJobId(extraction)));
      // The oldest of a backlog are in the queue: then what is younger has time until a later round.
      if (lost.length === 0) break;
      await deps.queues.enqueue(lost.map(extractJob));
      countRequeued(lost.length);
      deps.logger.info({ extractions: lost.length }, 'put back into the queue');
      requeued += lost.length;
      if (open.length < PAGE) break;
    }
    return requeued;
  }

  /** What was asked for last, so that this process asks once per interval. */
  const asked = new Map<string, string>();

  async function askForPeriodicJobs(isMissing: boolean): Promise<void> {
    const now = deps.now();
    const bucket = (name: string, intervalMs: number) => `${name}-${Math.floor(now / intervalMs)}`;
    const entries: JobEntry[] = [
      { name: 'heartbeat', data: {}, jobId: heartbeatJobId(now, HEARTBEAT_INTERVAL_MS) },
      { name: 'purge', data: {}, jobId: bucket('purge', PURGE_INTERVAL_MS) },
    ];
    if (isMissing) {
      entries.push({
        name: 'embed',
        data: { tenantId: deps.defaultTenantId },
        jobId: bucket('embed', EMBED_INTERVAL_MS),
      });
    }
    const wanted = entries.filter(({ name, jobId }) => asked.get(name) !== jobId);
    if (wanted.length > 0) await deps.queues.enqueue(wanted);
    for (const { name, jobId } of wanted) asked.set(name, jobId);
  }

  /** Erasures whose job the queue has lost, or never had. */
  async function askForErasures(): Promise<boolean> {
    const open = await listOpenErasures(deps.database, MAX_ERASURES);
    const jobs = open.map(({ id, tenantId }) => eraseJob({ tenantId, erasureId: id }));
    if (jobs.length > 0) {
      const missing = new Set(
        await deps.queues.missing(
          'erase',
          jobs.map(({ jobId }) => jobId),
        ),
      );
      await deps.queues.enqueue(jobs.filter(({ jobId }) => missing.has(jobId)));
    }
    return open.length > 0;
  }

  async function isTurnMissing(): Promise<boolean> {
    return deps.indexesTurns && (await hasUnindexedTurn(deps.database));
  }

  async function isVectorMissing(): Promise<boolean> {
    return (
      (await countPendingEmbeddings(deps.database)) > 0 ||
      (await countPendingChunks(deps.database)) > 0 ||
      (await countPendingTurnParts(deps.database)) > 0 ||
      (await deps.isBuilding().catch(() => false))
    );
  }

  const { close } = repeat({
    firstMs: Math.min(FIRST_AFTER_MS, deps.intervalMs),
    everyMs: deps.intervalMs,
    signal: deps.signal,
    round: async () => {
      await sweep();
      const isErasing = await askForErasures();
      const isMissing = (await isTurnMissing()) || (deps.wantsEmbedding && (await isVectorMissing()));
      await askForPeriodicJobs(isMissing);
      const mayRest =
        deps.signal !== null && !isMissing && !isErasing && !(await isExtractionOpen(deps.database));
      return mayRest ? { idleMs: Number.POSITIVE_INFINITY } : undefined;
    },
    // Both stores come back or an operator sees it in readiness; the next round does the work.
    onError: (error) =>
      deps.logger.debug({ code: isAppError(error) ? error.code : 'internal' }, 'sweep not possible'),
  });
  return { sweep, close };
}
