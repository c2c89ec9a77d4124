import type { Ended } from '@factmill/database';
import { type JobOutcome, retryDelayMs, type RetryPolicy } from '@factmill/queue';

/** How a run ended, and what comes next in its conversation. `isBusy`: another worker, or another run, is at work on it. */
export type Run = Readonly<{ outcome: JobOutcome; isBusy?: boolean }> & Ended;

/** A run after which nothing can start. */
export function ended(outcome: JobOutcome): Run {
  return { outcome, next: null };
}

/** No run: the work is under way already. */
export function busy(retryInMs: number): Run {
  return { outcome: { kind: 'delay', ms: retryInMs }, next: null, isBusy: true };
}

/** While the database is away nothing can be recorded: the job itself waits, with this cap. */
const DATABASE_POLICY: RetryPolicy = { kind: 'exponential', baseMs: 500, capMs: 10_000 };

/** The outcome of a job that can do nothing as long as the database is away. */
export function waitForDatabase(attempt: number, random: () => number): JobOutcome {
  return { kind: 'delay', ms: retryDelayMs({ attempt, policy: DATABASE_POLICY, random }) };
}

/**
 * The breaker decides who may call a provider that is down; the queue is paused only to keep idle workers from asking
 * all the time. The pause is short, so that an early end of an outage (a restart with other settings) is soon seen.
 */
const MAX_PAUSE_MS = 30_000;

/** The outcome of a job that can do nothing before the next probe of a provider. */
export function pauseFor(ms: number): JobOutcome {
  return { kind: 'pause', ms: Math.min(ms, MAX_PAUSE_MS) };
}
