import { withDeadline } from '@factmill/async';
import { AppError, isAppError } from '@factmill/errors';
import type { Worker } from 'bullmq';
import type { ProgressTracker } from './progress.ts';
import type { Clock } from './types.ts';
import { PAUSE_LIMITER } from './worker-settings.ts';

/** How often a busy worker asks whether its queue is paused. */
const INTERVAL_MS = 1_000;
const SHORTEST_MS = 20;

/**
 * A connection that is silent for this long is dead. TCP would notice after a quarter of an hour, with the worker
 * connected, healthy and useless until then.
 */
const SILENCE_MS = 10_000;

/**
 * Keeps a worker in step with pauses that any process may set.
 *
 * BullMQ's main loop can miss the end of a rate limit: when it learns of the limit together with a job that it
 * fetched before, it waits for a running job to end, and its free slots stay empty until then. So this wakes the
 * loop when a pause is over; its own pause and resume in the same turn do just that. An idle worker learns of a
 * limit when it asks for a job, so it checks less often.
 */
export function watchPause(deps: {
  worker: Worker;
  tracker: ProgressTracker;
  clock: Clock;
  /** How often it checks while no job runs. */
  idleIntervalMs: number;
  reconnect: () => void;
  onError: (error: unknown) => void;
}): { busy: () => void; stop: () => void } {
  const { worker, tracker, clock, idleIntervalMs, reconnect, onError } = deps;
  let isIdleWait = false;
  let timer: NodeJS.Timeout | undefined;
  let stopped = false;
  let paused = false;

  const look = async (): Promise<number> => {
    const ttlMs = await withDeadline(
      {
        ms: SILENCE_MS,
        onTimeout: () => new AppError('queue_unavailable', 'The queue backend gives no answer.'),
      },
      () => worker.getBackend().getRateLimitTtl(PAUSE_LIMITER.max),
    );
    if (stopped) return INTERVAL_MS;
    tracker.paused(ttlMs > 0 ? clock() + ttlMs : 0);
    if (ttlMs > 0) {
      paused = true;
      return Math.min(Math.max(ttlMs + 1, SHORTEST_MS), INTERVAL_MS);
    }
    if (paused) {
      paused = false;
      await worker.pause(true);
      await worker.resume();
    }
    return tracker.read().running > 0 ? INTERVAL_MS : idleIntervalMs;
  };

  const lookAgainIn = (delayMs: number): void => {
    isIdleWait = delayMs > INTERVAL_MS;
    if (!stopped) timer = setTimeout(() => void lookOnce(), delayMs);
  };
  const lookOnce = async (): Promise<void> => {
    isIdleWait = false;
    let delayMs = INTERVAL_MS;
    try {
      delayMs = await look();
    } catch (error) {
      onError(error);
      if (isAppError(error) && !stopped) reconnect();
    }
    lookAgainIn(delayMs);
  };
  lookAgainIn(INTERVAL_MS);

  return {
    /** A job has been taken. */
    busy: () => {
      if (!isIdleWait) return;
      clearTimeout(timer);
      lookAgainIn(INTERVAL_MS);
    },
    stop: () => {
      stopped = true;
      clearTimeout(timer);
    },
  };
}
