import type { WorkerOptions } from 'bullmq';

/**
 * The limiter that makes pauses work. BullMQ checks rate limits only with a limiter, so this one is far above any
 * real rate (it must fit a Postgres integer). It costs one counter update per job.
 */
export const PAUSE_LIMITER = { max: 2_000_000_000, duration: 1_000 } as const;

/**
 * Settings for the workers of both backends.
 *
 * A killed worker's job is free again after at most lockDuration + 2 × stalledInterval = 11 s: BullMQ skips a check
 * that comes a moment before the mark of the last one expires, so every second one counts. Locks are renewed every
 * lockDuration / 2. maxStalledCount allows for a job that survives several kills; BullMQ's default of 1 fails a job
 * for good at the second. maximumRateLimitDelay and runRetryDelay bound how late a worker notices that a pause was
 * ended early or that its backend is back.
 */
export const WORKER_SETTINGS = {
  lockDuration: 8_000,
  stalledInterval: 1_500,
  maxStalledCount: 5,
  maximumRateLimitDelay: 1_000,
  runRetryDelay: 500,
  limiter: PAUSE_LIMITER,
  removeOnFail: { count: 1_000 },
} as const satisfies Partial<WorkerOptions>;
