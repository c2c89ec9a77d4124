import { isJobName, JOBS, type QueueName } from '@factmill/contracts';
import { AppError } from '@factmill/errors';
import { type Job as BullJob, DelayedError } from 'bullmq';
import type { ConsumerBackend } from './backend.ts';
import { retryDelayMs } from './backoff.ts';
import { errorCodeOf, toFailureReason } from './error-code.ts';
import type { Job, JobContext, JobOutcome, WorkerDeps } from './types.ts';
import { PAUSE_LIMITER } from './worker-settings.ts';

/** Between runs of a job whose handler threw: a bug or an outage of ours may pass. */
const EXCEPTION_POLICY = { kind: 'exponential', baseMs: 1_000, capMs: 60_000 } as const;

/** Between attempts to hand a job back while its backend is away, and for how long. */
const HAND_BACK_RETRY_MS = 500;
const HAND_BACK_TRIES = 20;

/** Ends the job as failed with a code. Without a stack, because the queue would keep it. */
function failure(reason: string): Error {
  const error = new Error(toFailureReason(reason));
  delete error.stack;
  return error;
}

function aborted(signal: AbortSignal): Promise<never> {
  return new Promise((_resolve, reject) => {
    const onAbort = (): void => {
      reject(signal.reason instanceof Error ? signal.reason : new Error('aborted'));
    };
    if (signal.aborted) onAbort();
    else signal.addEventListener('abort', onAbort, { once: true });
  });
}

type Unfinished = Exclude<JobOutcome, { kind: 'done' }>;

export type JobRunner = Readonly<{
  /** Runs one job of BullMQ. Its result or error is what BullMQ's processor must return or throw. */
  run: (job: BullJob, token: string, controller: AbortController) => Promise<unknown>;
}>;

/** Turns one BullMQ job into one call of the handler, and its outcome into what BullMQ understands. */
export function createJobRunner<Q extends QueueName>(
  deps: WorkerDeps<Q> & { backend: ConsumerBackend; isClosing: () => boolean },
): JobRunner {
  const { queue, handler, backend, logger, clock, random, isClosing } = deps;

  const parse = (job: BullJob): Job<Q> | { failed: string } => {
    const { name } = job;
    if (!isJobName(name) || JOBS[name].queue !== queue) return { failed: 'unknown_job' };
    const parsed = JOBS[name].payload.safeParse(job.data);
    if (!parsed.success) return { failed: 'invalid_payload' };
    // The name belongs to this queue and the data to that name; the compiler cannot infer that from the table.
    return { name, data: parsed.data } as unknown as Job<Q>;
  };

  /** The handler's outcome; an abort ends the wait for it, whether or not the handler listens. */
  const callHandler = async (
    job: Job<Q>,
    context: JobContext,
    controller: AbortController,
  ): Promise<JobOutcome> => {
    const timer = setTimeout(() => {
      controller.abort(new AppError('internal', 'The job ran into its time limit.'));
    }, JOBS[job.name].timeoutMs);
    try {
      return await Promise.race([handler(job, context), aborted(controller.signal)]);
    } finally {
      clearTimeout(timer);
    }
  };

  const afterException = (error: unknown, job: BullJob): JobOutcome => {
    const ms = retryDelayMs({ attempt: job.attemptsStarted, policy: EXCEPTION_POLICY, random });
    const fields = { queue, job: job.name, jobId: job.id, code: errorCodeOf(error), retryInMs: ms };
    logger.error(fields, 'job handler threw, the job is tried again');
    return { kind: 'delay', ms };
  };

  /**
   * Repeats `handBack` until the backend accepts it. When the job is no longer ours, or the backend stays away,
   * BullMQ finds the job without a lock and gives it to another worker.
   */
  const handBack = async (job: BullJob, attempt: () => Promise<Error>): Promise<Error> => {
    for (let tries = 1; ; tries += 1) {
      try {
        return await attempt();
      } catch (error) {
        const code = errorCodeOf(error);
        logger.debug({ queue, jobId: job.id, code }, 'job could not be handed back');
        if (isLockLost(error) || isClosing() || tries >= HAND_BACK_TRIES) return new DelayedError();
      }
      await new Promise((resolve) => setTimeout(resolve, HAND_BACK_RETRY_MS));
    }
  };

  /** Applies the outcome and returns the error that tells BullMQ about it. */
  const toError = async (outcome: Unfinished, job: BullJob, token: string): Promise<Error> => {
    if (outcome.kind === 'fail') return failure(outcome.reason);
    return handBack(job, async () => {
      if (outcome.kind === 'pause') {
        await pauseQueue(outcome.ms);
        return backend.putBack(job, token);
      }
      await job.moveToDelayed(clock() + Math.max(outcome.ms, 0), token);
      return new DelayedError();
    });
  };

  /** The longer of two pauses wins. */
  const pauseQueue = async (ms: number): Promise<void> => {
    const bull = backend.worker.getBackend();
    if ((await bull.getRateLimitTtl(PAUSE_LIMITER.max)) < ms) await bull.setRateLimit(Math.ceil(ms));
  };

  const run = async (bullJob: BullJob, token: string, controller: AbortController): Promise<unknown> => {
    if (isClosing()) throw await handBack(bullJob, () => backend.putBack(bullJob, token));
    const job = parse(bullJob);
    if ('failed' in job) {
      // An unknown job may hold foreign text in its name and id, so neither is logged.
      logger.error({ queue, code: job.failed }, 'job failed');
      throw failure(job.failed);
    }
    const { signal } = controller;
    const context = { signal, jobId: bullJob.id ?? '', attemptStarted: bullJob.attemptsStarted };
    let outcome: JobOutcome;
    try {
      outcome = await callHandler(job, context, controller);
    } catch (error) {
      if (signal.aborted && isClosing()) {
        throw await handBack(bullJob, () => backend.putBack(bullJob, token));
      }
      if (signal.aborted && errorCodeOf(signal.reason) === 'fenced') {
        logger.debug({ queue, jobId: bullJob.id }, 'job went on without its lock and was given up');
        throw new DelayedError();
      }
      outcome = afterException(error, bullJob);
    }
    if (outcome.kind === 'done') return toCounts(outcome.counts);
    throw await toError(outcome, bullJob, token);
  };

  return { run };
}

/** Only finite numbers pass: the queue keeps a job's result and dashboards show it. */
function toCounts(counts: Readonly<Record<string, number>> | undefined): Record<string, number> {
  return Object.fromEntries(Object.entries(counts ?? {}).filter(([, value]) => Number.isFinite(value)));
}

/** BullMQ's answers for a job that is gone (-1), without its lock (-2), not active (-3) or locked by another (-6). */
function isLockLost(error: unknown): boolean {
  return ['-1', '-2', '-3', '-6'].includes(errorCodeOf(error));
}
