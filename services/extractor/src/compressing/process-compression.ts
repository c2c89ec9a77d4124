import type { Config } from '@factmill/config';
import {
  assertRunFence,
  claimCompressionRun,
  failCompressionRun,
  releaseCompressionRun,
  type RunClaim,
  type Sql,
} from '@factmill/database';
import { AppError, isAppError } from '@factmill/errors';
import { JOB_OUTCOMES, type JobContext, type JobOutcome } from '@factmill/queue';
import { createCounter, type Logger, seriesOf, withSpan } from '@factmill/telemetry';
import { blamesProvider, decideRetry, finalErrorOf } from '../extracting/decide-retry.ts';
import { LEASE_MS, type Leases } from '../extracting/leases.ts';
import { withoutLockLoss } from '../extracting/process-extraction.ts';
import type { ProviderWatch } from '../extracting/provider-watch.ts';
import {
  NOT_BLAMED,
  pauseFor,
  readRetryPolicy,
  recordOf,
  toAppError,
  waitForDatabase,
} from '../extracting/settle-failure.ts';
import type { RunCaller } from './answer-steps.ts';
import type { createCompressMemories } from './compress-memories.ts';

export type ProcessCompressionDeps = Readonly<{
  database: Sql;
  config: Config['extractor'];
  leases: Leases;
  watch: ProviderWatch;
  compressMemories: ReturnType<typeof createCompressMemories>;
  workerId: string;
  logger: Logger;
  random: () => number;
}>;

export type ProcessCompression = Readonly<{
  process: (job: CompressJob, context: JobContext) => Promise<JobOutcome>;
  /** A try of a provider that is down ends at once; what else runs is finished. */
  takeNoMore: () => void;
  /** Aborts what still runs and hands it back; resolves when all of it has. */
  close: () => Promise<void>;
}>;

type CompressJob = Readonly<{ runId: string; tenantId: string }>;

/** A run that so many workers in a row never came back from kills them. */
const MAX_LOST_CLAIMS = 20;

/** How long a job waits whose run an earlier delivery in this process is still working on. */
const BUSY_DELAY_MS = 1_000;

/**
 * One job: claims the run, keeps its lease, compresses, and turns what went wrong into what happens next, by the same
 * rules as an extraction: an outage of the provider rests the queue and burns no attempt; what will not work fails with
 * its class, and nothing is undone.
 */
export function createProcessCompression(deps: ProcessCompressionDeps): ProcessCompression {
  const countEnded = createCounter(
    'factmill_compressions_total',
    'Compression runs by kind and how they ended',
    seriesOf({ kind: ['daily', 'weekly'], outcome: JOB_OUTCOMES }),
  );
  const running = new Map<string, Promise<JobOutcome>>();
  const stopping = new AbortController();
  const probing = new AbortController();

  return {
    async process(job, context) {
      if (running.has(job.runId)) return { kind: 'delay', ms: BUSY_DELAY_MS };
      const run = claimAndRun(job, context);
      running.set(job.runId, run);
      try {
        return await run;
      } finally {
        running.delete(job.runId);
      }
    },
    takeNoMore() {
      probing.abort(new AppError('shutting_down', 'The worker is stopping.'));
    },
    async close() {
      stopping.abort(new AppError('shutting_down', 'The worker is stopping.'));
      await Promise.allSettled(running.values());
    },
  };

  async function claimAndRun(job: CompressJob, context: JobContext): Promise<JobOutcome> {
    const startedAt = performance.now();
    try {
      const answer = await claimCompressionRun(deps.database, {
        tenantId: job.tenantId,
        id: job.runId,
        workerId: deps.workerId,
        leaseMs: LEASE_MS,
      });
      if (answer.kind === 'over') return { kind: 'done', counts: { already_over: 1 } };
      if (answer.kind === 'leased') return { kind: 'delay', ms: answer.retryInMs };
      const { claim } = answer;
      return await withSpan(
        'compress',
        { kind: 'consumer', attributes: { 'factmill.compression_run_id': claim.id } },
        async () => {
          const outcome = await run(claim, context);
          countEnded(1, { kind: claim.kind, outcome: outcome.kind });
          deps.logger.info(
            {
              compression_run_id: claim.id,
              tenant_id: claim.tenantId,
              kind: claim.kind,
              outcome: outcome.kind,
              duration_ms: Math.round(performance.now() - startedAt),
              ...(outcome.kind === 'done' ? outcome.counts : {}),
            },
            'compression',
          );
          return outcome;
        },
      );
    } catch (error) {
      if (isAppError(error) && error.code === 'database_unavailable') {
        return waitForDatabase(context.attemptStarted, deps.random);
      }
      throw error;
    }
  }

  async function run(claim: RunClaim, context: JobContext): Promise<JobOutcome> {
    const lease = deps.leases.hold(claim);
    const signal = AbortSignal.any([withoutLockLoss(context.signal), lease.signal, stopping.signal]);
    const caller: RunCaller = { id: claim.id, isProbe: false, stopProbe: probing.signal };
    deps.watch.started(caller);
    try {
      if (claim.lostClaims >= MAX_LOST_CLAIMS) {
        await failCompressionRun(deps.database, claim, {
          errorClass: 'poisoned',
          errorMessage: `${MAX_LOST_CLAIMS} workers in a row did not survive this run.`,
        });
        return { kind: 'fail', reason: 'poisoned' };
      }
      await assertRunFence(deps.database, claim);
      const compressed = await deps.compressMemories(claim, caller, signal);
      return compressed.kind === 'done' ? compressed : await rest(claim, compressed.waitMs);
    } catch (thrown) {
      const error = toAppError(thrown, signal);
      if (error.code === 'fenced') return { kind: 'done', counts: { fenced: 1 } };
      return await settle(claim, caller, error, context);
    } finally {
      deps.watch.ended(caller);
      lease.release();
    }
  }

  async function settle(
    claim: RunClaim,
    caller: RunCaller,
    error: AppError,
    context: JobContext,
  ): Promise<JobOutcome> {
    if (error.code === 'database_unavailable') return waitForDatabase(context.attemptStarted, deps.random);
    const entry = recordOf(error);
    if (error.code === 'shutting_down') {
      await releaseCompressionRun(deps.database, claim, { delayMs: 0, burns: false, ...entry });
      return { kind: 'delay', ms: 0 };
    }
    const provider = blamesProvider(error.code) ? await deps.watch.failed(caller) : NOT_BLAMED;
    const decision = decideRetry({
      error,
      attempts: claim.attempts,
      maxAttempts: deps.config.maxAttempts,
      policy: await readRetryPolicy(deps.database, deps.config),
      provider,
      random: deps.random,
    });
    deps.logger.warn(
      { compression_run_id: claim.id, code: error.code, decision: decision.kind, attempts: claim.attempts },
      'compression failed',
    );
    if (decision.kind === 'fail') {
      if (provider.isDown) await deps.watch.rest(caller, error, provider, 0);
      const final = finalErrorOf(error);
      await failCompressionRun(deps.database, claim, recordOf(final));
      return { kind: 'fail', reason: final.code };
    }
    if (decision.kind === 'retry') {
      const { delayMs, burns } = decision;
      await releaseCompressionRun(deps.database, claim, { delayMs, burns, ...entry });
      return { kind: 'delay', ms: delayMs };
    }
    const delayMs = await deps.watch.rest(caller, error, provider, decision.delayMs);
    await releaseCompressionRun(deps.database, claim, { delayMs, burns: false, ...entry });
    return pauseFor(delayMs);
  }

  /** The provider is down, and this run is not the one to try it. */
  async function rest(claim: RunClaim, waitMs: number): Promise<JobOutcome> {
    await releaseCompressionRun(deps.database, claim, {
      delayMs: waitMs,
      burns: false,
      errorClass: 'unavailable',
      errorMessage: 'The model provider is down; the run waits for it.',
    });
    return pauseFor(waitMs);
  }
}
