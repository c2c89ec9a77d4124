import type { ClaimResult, Ended, HeldClaim } from '@factmill/database';
import { AppError, isAppError } from '@factmill/errors';
import type { JobContext, JobOutcome } from '@factmill/queue';
import { type SpanOptions, withSpan } from '@factmill/telemetry';
import { createHandleFailure, type FailedClaim, type HandleFailureDeps } from './handle-failure.ts';
import { LEASE_MS, type Leases } from './leases.ts';
import { busy, ended, pauseFor, type Run, waitForDatabase } from './run-outcome.ts';

/** A row that this worker has claimed. */
export type RunClaim = HeldClaim &
  FailedClaim &
  Readonly<{
    tenantId: string;
    /** Claims in a row before this one whose worker neither ended nor released the row. */
    lostClaims: number;
    /** The claim brought the permit to probe a provider that is down. */
    isProbe?: boolean;
  }>;

/** The row that a job is about. */
type ClaimedJob = Readonly<{ id: string; tenantId: string }>;

export type RunContext = Readonly<{
  /** Ends the run: its lease is lost, its time is up, or the process stops. */
  signal: AbortSignal;
  /** Ends a probe as soon as the worker drains, because a probe may hang. */
  drainSignal: AbortSignal;
}>;

/** `breaker_open`: a call was denied, and the run continues after `waitMs`. */
export type RunResult =
  | (Readonly<{ kind: 'done'; counts: Readonly<Record<string, number>> }> & Ended)
  | Readonly<{ kind: 'breaker_open'; waitMs: number }>;

export type ClaimedRunDeps<Claim extends RunClaim, Input> = HandleFailureDeps<Claim> &
  Readonly<{
    claim: (job: ClaimedJob) => Promise<ClaimResult<Claim, Input>>;
    leases: Leases;
    /** @throws AppError `fenced` when another worker has claimed the row */
    assertFence: (claim: Claim) => Promise<void>;
    run: (claim: Claim, input: Input, context: RunContext) => Promise<RunResult>;
    span: (claim: Claim) => Readonly<{ name: string }> & SpanOptions;
    counters: Readonly<{ ended: (claim: Claim, outcome: JobOutcome) => void }>;
  }>;

export type ClaimedRun = Readonly<{
  process: (job: ClaimedJob, context: JobContext) => Promise<JobOutcome>;
  /** Starts no further run and ends probes, which may hang; other runs continue. */
  drain: () => void;
  /** Aborts the remaining runs and releases their rows; resolves when all are released. */
  abort: () => Promise<void>;
}>;

/** A row whose worker died this many times in a row kills its workers. */
const MAX_LOST_CLAIMS = 20;

/** Delay of a job whose row an earlier delivery in this process still works on. */
const BUSY_DELAY_MS = 1_000;

const DONE: JobOutcome = { kind: 'done' };
const FINISHED_BEFORE: JobOutcome = { kind: 'done', counts: { already_over: 1 } };

/**
 * Runs the jobs of one queue whose work is a claimed row: an extraction or a compression. The row says who may work, by
 * lease and fence, not the lock of the job: a run goes on when the queue loses its job (Redis flushed or away), because
 * the model is being paid already.
 *
 *   1. Claim the row. What can come of it:
 *      - `claimed`: go on with 2
 *      - `finished`: the job is done; what is open after the row is claimed next, as after 4
 *      - `blocked`: the job is done; the end of the earlier extraction names this one as its next
 *      - `deferred`: the job is done; the sweeper finds the row when its time has come
 *      - `leased`: the job is delayed until the lease of the other worker runs out
 *      - `breaker_open`: the queue is paused until the next probe
 *      - `last_probe`: the job is delayed, so that another one makes the probe that is due
 *   2. Hold the lease, and run under a signal that fires when it is lost, the time limit is over, or the process stops.
 *   3. Settle: `done` has ended the row in the transaction that wrote the memories; `breaker_open` releases the row and
 *      pauses the queue; an error releases or fails the row (handle-failure.ts). A fence that has moved writes nothing.
 *   4. Claim the next row of the conversation in the same job, if there is one. To enqueue it could meet its own job as
 *      that one is just ending, and be ignored.
 */
export function createClaimedRun<Claim extends RunClaim, Input>(
  deps: ClaimedRunDeps<Claim, Input>,
): ClaimedRun {
  const running = new Map<string, Promise<Run>>();
  const draining = new AbortController();
  const stopping = new AbortController();
  const handleFailure = createHandleFailure(deps);

  return {
    async process(job, context) {
      let failed: JobOutcome | null = null;
      let run = await runOnce(job, context);
      while (run.next !== null) {
        if (run.outcome.kind === 'fail') failed ??= run.outcome;
        if (draining.signal.aborted) return { kind: 'delay', ms: 0 };
        const endedHere = run.outcome !== FINISHED_BEFORE;
        run = await runOnce({ ...job, id: run.next }, context);
        // The next row then has its own job, and that job its own worker.
        if (endedHere && run.isBusy === true) return failed ?? DONE;
      }
      // A redelivered job finds its own row finished, and continues with the open one after it.
      return failed !== null && run.outcome.kind === 'done' ? failed : run.outcome;
    },
    drain() {
      draining.abort(new AppError('shutting_down', 'The worker is stopping.'));
    },
    async abort() {
      const reason = new AppError('shutting_down', 'The worker is stopping.');
      draining.abort(reason);
      stopping.abort(reason);
      await Promise.allSettled(running.values());
    },
  };

  async function runOnce(job: ClaimedJob, context: JobContext): Promise<Run> {
    if (running.has(job.id)) return busy(BUSY_DELAY_MS);
    const run = claimAndRun(job, context);
    running.set(job.id, run);
    try {
      return await run;
    } finally {
      running.delete(job.id);
    }
  }

  async function claimAndRun(job: ClaimedJob, context: JobContext): Promise<Run> {
    const startedAt = performance.now();
    let result: ClaimResult<Claim, Input>;
    try {
      result = await deps.claim(job);
    } catch (error) {
      if (!isAppError(error) || error.code !== 'database_unavailable') throw error;
      return ended(waitForDatabase(context.attemptStarted, deps.random));
    }
    switch (result.kind) {
      case 'finished':
        return { outcome: FINISHED_BEFORE, next: result.next };
      case 'blocked':
        return ended({ kind: 'done', counts: { waits_for_earlier: 1 } });
      case 'deferred':
        return ended({ kind: 'done', counts: { deferred: 1 } });
      case 'leased':
        return busy(result.retryInMs);
      case 'breaker_open':
        deps.breaker.denied();
        return ended(pauseFor(result.retryInMs));
      case 'last_probe':
        deps.breaker.denied();
        return ended({ kind: 'delay', ms: result.retryInMs });
      case 'claimed':
        break;
    }
    const { claim, input } = result;
    const waitedMs = performance.now() - startedAt;
    return observed(claim, startedAt, () => settled(claim, input, context, waitedMs));
  }

  /** Runs in a span, and writes a counter and one wide event. */
  async function observed(claim: Claim, startedAt: number, work: () => Promise<Run>): Promise<Run> {
    const { name, ...span } = deps.span(claim);
    return withSpan(name, { kind: 'consumer', ...span }, async () => {
      const run = await work();
      const { outcome } = run;
      deps.counters.ended(claim, outcome);
      deps.logger.info(
        {
          ...deps.idFields(claim),
          tenant_id: claim.tenantId,
          outcome: outcome.kind,
          duration_ms: Math.round(performance.now() - startedAt),
          ...(outcome.kind === 'done' ? outcome.counts : {}),
        },
        deps.noun,
      );
      return run;
    });
  }

  async function settled(claim: Claim, input: Input, context: JobContext, waitedMs: number): Promise<Run> {
    const lease = deps.leases.hold(claim);
    const signal = AbortSignal.any([
      withoutLockLoss(context.signal),
      lease.signal,
      stopping.signal,
      ...(claim.isProbe === true ? [draining.signal] : []),
    ]);
    deps.breaker.started(claim);
    try {
      if (claim.lostClaims >= MAX_LOST_CLAIMS) return await poisoned(claim);
      // A process that was stopped while it claimed comes with old input: another worker may have the row by now.
      if (waitedMs >= LEASE_MS) await deps.assertFence(claim);
      const result = await deps.run(claim, input, { signal, drainSignal: draining.signal });
      if (result.kind === 'breaker_open') return await putBack(claim, result.waitMs);
      return { outcome: { kind: 'done', counts: result.counts }, next: result.next };
    } catch (error) {
      return await handleFailure(claim, error, { signal, attemptStarted: context.attemptStarted });
    } finally {
      deps.breaker.ended(claim.id);
      lease.release();
    }
  }

  async function poisoned(claim: Claim): Promise<Run> {
    const { next } = await deps.fail(claim, {
      errorClass: 'poisoned',
      errorMessage: `${MAX_LOST_CLAIMS} workers in a row did not survive this ${deps.noun}; replay it after finding out why.`,
    });
    return { outcome: { kind: 'fail', reason: 'poisoned' }, next };
  }

  async function putBack(claim: Claim, waitMs: number): Promise<Run> {
    await deps.release(claim, {
      delayMs: waitMs,
      countsAsAttempt: false,
      errorClass: 'unavailable',
      errorMessage: `The model provider is down; the ${deps.noun} waits for it.`,
    });
    return ended(pauseFor(waitMs));
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
