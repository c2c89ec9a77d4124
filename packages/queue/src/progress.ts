import type { Clock, StuckQuestion, WorkerProgress } from './types.ts';

export type ProgressTracker = Readonly<{
  taken: () => void;
  ended: () => void;
  /** Reports until when the queue is paused; 0 when it is not. */
  paused: (untilMs: number) => void;
  read: () => WorkerProgress;
}>;

/** Counts the jobs that a worker takes and ends, as proof of life. */
export function createProgressTracker(deps: { clock: Clock; concurrency: number }): ProgressTracker {
  const { clock, concurrency } = deps;
  let lastProgressAt = clock();
  let running = 0;
  let pausedUntil = 0;

  return {
    taken: () => {
      running += 1;
      lastProgressAt = clock();
    },
    ended: () => {
      running -= 1;
      lastProgressAt = clock();
    },
    paused: (untilMs) => {
      // After a pause the clock starts anew: jobs that waited during it do not mean that the worker is stuck.
      lastProgressAt = Math.max(lastProgressAt, Math.min(pausedUntil, clock()));
      pausedUntil = untilMs;
    },
    read: () => ({ lastProgressAt, running, freeSlots: Math.max(concurrency - running, 0), pausedUntil }),
  };
}

/**
 * Whether a worker leaves work undone although nothing prevents it: a job waits for longer than the threshold, a
 * slot is free, the queue is not paused, and no job was taken or ended within the threshold. A long queue before a
 * busy worker is a backlog, not stuck.
 */
export function isStuck(progress: WorkerProgress, question: StuckQuestion): boolean {
  const { now, oldestWaitingAgeMs, thresholdMs } = question;
  const restedUntil = Math.max(progress.lastProgressAt, progress.pausedUntil);
  return oldestWaitingAgeMs > thresholdMs && progress.freeSlots > 0 && now - restedUntil > thresholdMs;
}
