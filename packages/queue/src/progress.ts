import type { Clock, StuckQuestion, WorkerProgress } from './types.ts';

export type ProgressTracker = Readonly<{
  taken: () => void;
  ended: () => void;
  /** What the worker last learned about its queue: 0 when it is not paused. */
  paused: (untilMs: number) => void;
  read: () => WorkerProgress;
}>;

/** Counts what a worker takes and ends, as the measure of being alive. */
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
      // The end of a rest is a fresh start: what waited meanwhile is no sign of being stuck.
      lastProgressAt = Math.max(lastProgressAt, Math.min(pausedUntil, clock()));
      pausedUntil = untilMs;
    },
    read: () => ({ lastProgressAt, running, freeSlots: Math.max(concurrency - running, 0), pausedUntil }),
  };
}

/**
 * Whether a worker that has nothing to prevent it leaves work lying: a job waits for longer than the threshold,
 * a slot is free, the queue is not paused, and no job was taken or ended for the threshold. A long queue in front
 * of a busy worker is a backlog, not being stuck.
 */
export function isStuck(progress: WorkerProgress, question: StuckQuestion): boolean {
  const { now, oldestWaitingAgeMs, thresholdMs } = question;
  const restedUntil = Math.max(progress.lastProgressAt, progress.pausedUntil);
  return oldestWaitingAgeMs > thresholdMs && progress.freeSlots > 0 && now - restedUntil > thresholdMs;
}
