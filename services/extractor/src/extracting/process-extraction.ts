import {
  assertFence,
  type Claim,
  type ClaimAnswer,
  claimExtraction,
  failExtraction,
  type Material,
  type Sql,
} from '@factmill/database';
import { AppError, isAppError } from '@factmill/errors';
import { JOB_OUTCOMES, type JobContext, type JobOutcome } from '@factmill/queue';
import { createCounter, type Logger, seriesOf, withSpan } from '@factmill/telemetry';
import type { createExtractMemories } from './extract-memories.ts';
import { LEASE_MS, type Leases } from './leases.ts';
import type { ProviderWatch } from './provider-watch.ts';
import { type createSettleFailure, only, type Run, pauseFor, waitForDatabase } from './settle-failure.ts';

export type ProcessDeps = Readonly<{
  database: Sql;
  leases: Leases;
  watch: ProviderWatch;
  extractMemories: ReturnType<typeof createExtractMemories>;
  settleFailure: ReturnType<typeof createSettleFailure>;
  workerId: string;
  /** How many memories the model is told of at most. */
  knownMemoryLimit: number;
  logger: Logger;
  random: () => number;
}>;

export type ProcessExtraction = Readonly<{
  process: (job: ExtractJob, context: JobContext) => Promise<JobOutcome>;
  /**
   * What runs is finished, but nothing is begun after it. Tries of a provider that is down are given up at once: there
   * is nothing to be waited for.
   */
  takeNoMore: () => void;
  /** Aborts what still runs and hands it back; resolves when all of it has. */
  close: () => Promise<void>;
}>;

type ExtractJob = Readonly<{ extractionId: string; tenantId: string }>;

/** An extraction that so many workers in a row never came back from kills them. */
const MAX_LOST_CLAIMS = 20;

/** How long a job waits whose extraction an earlier delivery in this process is still working on. */
const BUSY_DELAY_MS = 1_000;

/**
 * One job: claims the extraction, keeps its lease, extracts, and turns what went wrong into what happens next. Then it
 * goes on with the next extraction of the conversation, if there is one: those come one after the other, and the jobs
 * of the later ones end without effect while an earlier one is open. Asking the queue for the next could meet a job of
 * that id that is just ending, and be ignored.
 *
 * A run goes on when the queue loses its job (Redis flushed or away): the lease in the ledger, not the lock in the
 * queue, says who may work, and the model is being paid already. It ends when the lease is lost, the time limit is
 * over, or the process stops.
 */
export function createProcessExtraction(deps: ProcessDeps): ProcessExtraction {
  const countEnded = createCounter(
    'factmill_extractions_total',
    'Extractions by how this run of them ended',
    seriesOf({ outcome: JOB_OUTCOMES }),
  );
  /** By extraction. */
  const running = new Map<string, Promise<TakenRun>>();
  const stopping = new AbortController();
  const probing = new AbortController();
  let takesNoMore = false;

  return {
    async process(job, context) {
      let failed: JobOutcome | null = null;
      let run = await runOnce(job, context);
      while (run.next !== null) {
        if (run.outcome.kind === 'fail') failed ??= run.outcome;
        if (takesNoMore) return { kind: 'delay', ms: 0 };
        const endedHere = run.outcome !== ALREADY_OVER;
        run = await runOnce({ ...job, extractionId: run.next }, context);
        // It has a job of its own then, and that one a worker.
        if (endedHere && run.outcome.kind === 'delay' && run.isTaken === true) return failed ?? DONE;
      }
      // What comes back for the rest finds its own extraction over, and what is open after it.
      return failed !== null && run.outcome.kind === 'done' ? failed : run.outcome;
    },
    takeNoMore() {
      takesNoMore = true;
      probing.abort(new AppError('shutting_down', 'The worker is stopping.'));
    },
    async close() {
      takesNoMore = true;
      stopping.abort(new AppError('shutting_down', 'The worker is stopping.'));
      await Promise.allSettled(running.values());
    },
  };

  async function runOnce(job: ExtractJob, context: JobContext): Promise<TakenRun> {
    const { extractionId } = job;
    if (running.has(extractionId)) return taken(BUSY_DELAY_MS);
    const run = claimAndRun(job, context);
    running.set(extractionId, run);
    try {
      return await run;
    } finally {
      running.delete(extractionId);
    }
  }

  async function claimAndRun(job: ExtractJob, context: JobContext): Promise<TakenRun> {
    const startedAt = performance.now();
    const { breaker } = deps.watch;
    let answer: ClaimAnswer;
    try {
      answer = await claimExtraction(deps.database, {
        tenantId: job.tenantId,
        id: job.extractionId,
        workerId: deps.workerId,
        leaseMs: LEASE_MS,
        knownMemoryLimit: deps.knownMemoryLimit,
        provider: breaker && { name: breaker.provider, probeIntervalMs: breaker.probeIntervalMs },
      });
    } catch (error) {
      if (isAppError(error) && error.code === 'database_unavailable') {
        return only(waitForDatabase(context.attemptStarted, deps.random));
      }
      throw error;
    }
    if (answer.kind === 'over') return { outcome: ALREADY_OVER, next: answer.next };
    if (answer.kind === 'waits') return only({ kind: 'done', counts: { waits_for_earlier: 1 } });
    if (answer.kind === 'leased') return taken(answer.retryInMs);
    if (answer.kind === 'rests') {
      deps.watch.refused();
      return only(answer.yields ? { kind: 'delay', ms: answer.retryInMs } : pauseFor(answer.retryInMs));
    }
    const { claim, material } = answer;
    const waitedMs = performance.now() - startedAt;
    return withSpan(
      'extract',
      {
        kind: 'consumer',
        traceparent: claim.traceparent,
        attributes: { 'factmill.extraction_id': claim.id, 'factmill.fence': claim.fence },
      },
      async () => {
        const ended = await run(claim, material, context, waitedMs);
        const { outcome } = ended;
        countEnded(1, { outcome: outcome.kind });
        deps.logger.info(
          {
            extraction_id: claim.id,
            tenant_id: claim.tenantId,
            outcome: outcome.kind,
            duration_ms: Math.round(performance.now() - startedAt),
            ...(outcome.kind === 'done' ? outcome.counts : {}),
          },
          'extraction',
        );
        return ended;
      },
    );
  }

  async function run(claim: Claim, material: Material, context: JobContext, waitedMs: number): Promise<Run> {
    const lease = deps.leases.hold(claim);
    const signal = AbortSignal.any([
      withoutLockLoss(context.signal),
      lease.signal,
      stopping.signal,
      ...(claim.isProbe ? [probing.signal] : []),
    ]);
    deps.watch.started(claim);
    try {
      if (claim.lostClaims >= MAX_LOST_CLAIMS) {
        const { next } = await failExtraction(deps.database, claim, {
          errorClass: 'poisoned',
          errorMessage: `${MAX_LOST_CLAIMS} workers in a row did not survive this extraction; replay it after finding out why.`,
        });
        return { outcome: { kind: 'fail', reason: 'poisoned' }, next };
      }
      // A process that was stopped while it claimed comes with an old answer: another may have pinned one since.
      if (waitedMs >= LEASE_MS) await assertFence(deps.database, claim);
      const { counts, next } = await deps.extractMemories(claim, material, signal);
      return { outcome: { kind: 'done', counts }, next };
    } catch (error) {
      return await deps.settleFailure(claim, error, {
        signal,
        attemptStarted: context.attemptStarted,
      });
    } finally {
      deps.watch.ended(claim);
      lease.release();
    }
  }
}

/** `isTaken`: somebody else is working on it. */
type TakenRun = Run & Readonly<{ isTaken?: boolean }>;

function taken(ms: number): TakenRun {
  return { outcome: { kind: 'delay', ms }, next: null, isTaken: true };
}

const DONE: JobOutcome = { kind: 'done' };
const ALREADY_OVER: JobOutcome = { kind: 'done', counts: { already_over: 1 } };

/** The queue's signal, less the one reason that does not end a run. */
export function withoutLockLoss(queueSignal: AbortSignal): AbortSignal {
  const controller = new AbortController();
  const pass = () => {
    const reason: unknown = queueSignal.reason;
    if (!isAppError(reason) || reason.code !== 'fenced') controller.abort(reason);
  };
  if (queueSignal.aborted) pass();
  else queueSignal.addEventListener('abort', pass, { once: true });
  return controller.signal;
}
