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
import type { JobContext, JobOutcome } from '@factmill/queue';
import { createCounter, type Logger, withSpan } from '@factmill/telemetry';
import type { createExtractMemories } from './extract-memories.ts';
import { LEASE_MS, type Leases } from './leases.ts';
import type { ProviderHealth } from './provider-health.ts';
import { type createSettleFailure, waitForDatabase } from './settle-failure.ts';

export type ProcessDeps = Readonly<{
  database: Sql;
  leases: Leases;
  health: ProviderHealth;
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
  /** Aborts what still runs and hands it back; resolves when all of it has. */
  close: () => Promise<void>;
}>;

type ExtractJob = Readonly<{ extractionId: string; tenantId: string }>;

/** An extraction that so many workers in a row never came back from kills them. */
const MAX_LOST_CLAIMS = 20;

/** How long a job waits whose extraction an earlier delivery in this process is still working on. */
const BUSY_DELAY_MS = 1_000;

/**
 * One job: claims the extraction, keeps its lease, extracts, and turns what went wrong into what happens next.
 *
 * A run goes on when the queue loses its job (Redis flushed or away): the lease in the ledger, not the lock in the
 * queue, says who may work, and the model is being paid already. It ends when the lease is lost, the time limit is
 * over, or the process stops.
 */
export function createProcessExtraction(deps: ProcessDeps): ProcessExtraction {
  const countEnded = createCounter('factmill_extractions_total', 'Extractions by how this run of them ended');
  /** By extraction. */
  const running = new Map<string, Promise<JobOutcome>>();
  const stopping = new AbortController();

  return {
    async process(job, context) {
      const { extractionId } = job;
      if (running.has(extractionId)) return { kind: 'delay', ms: BUSY_DELAY_MS };
      const run = claimAndRun(job, context);
      running.set(extractionId, run);
      try {
        return await run;
      } finally {
        running.delete(extractionId);
      }
    },
    async close() {
      stopping.abort(new AppError('shutting_down', 'The worker is stopping.'));
      await Promise.allSettled(running.values());
    },
  };

  async function claimAndRun(job: ExtractJob, context: JobContext): Promise<JobOutcome> {
    const startedAt = performance.now();
    let answer: ClaimAnswer;
    try {
      answer = await claimExtraction(deps.database, {
        tenantId: job.tenantId,
        id: job.extractionId,
        workerId: deps.workerId,
        leaseMs: LEASE_MS,
        knownMemoryLimit: deps.knownMemoryLimit,
      });
    } catch (error) {
      if (isAppError(error) && error.code === 'database_unavailable') {
        return waitForDatabase(context.attemptStarted, deps.random);
      }
      throw error;
    }
    if (answer.kind === 'over') return { kind: 'done', counts: { already_over: 1 } };
    if (answer.kind === 'leased') return { kind: 'delay', ms: answer.retryInMs };
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
        const outcome = await run(claim, material, context, waitedMs);
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
        return outcome;
      },
    );
  }

  async function run(
    claim: Claim,
    material: Material,
    context: JobContext,
    waitedMs: number,
  ): Promise<JobOutcome> {
    const lease = deps.leases.hold(claim);
    const signal = AbortSignal.any([withoutLockLoss(context.signal), lease.signal, stopping.signal]);
    const round = deps.health.round();
    try {
      if (claim.lostClaims >= MAX_LOST_CLAIMS) {
        await failExtraction(deps.database, claim, {
          errorClass: 'poisoned',
          errorMessage: `${MAX_LOST_CLAIMS} workers in a row did not survive this extraction; replay it after finding out why.`,
        });
        return { kind: 'fail', reason: 'poisoned' };
      }
      // A process that was stopped while it claimed comes with an old answer: another may have pinned one since.
      if (waitedMs >= LEASE_MS) await assertFence(deps.database, claim);
      return { kind: 'done', counts: await deps.extractMemories(claim, material, signal) };
    } catch (error) {
      return await deps.settleFailure(claim, error, {
        signal,
        round,
        attemptStarted: context.attemptStarted,
      });
    } finally {
      lease.release();
    }
  }
}

/** The queue's signal, less the one reason that does not end a run. */
function withoutLockLoss(queueSignal: AbortSignal): AbortSignal {
  const controller = new AbortController();
  const pass = () => {
    const reason: unknown = queueSignal.reason;
    if (!isAppError(reason) || reason.code !== 'fenced') controller.abort(reason);
  };
  if (queueSignal.aborted) pass();
  else queueSignal.addEventListener('abort', pass, { once: true });
  return controller.signal;
}
