import type { Ended } from '@factmill/database';
import { type JobOutcome, retryDelayMs, type RetryPolicy } from '@factmill/queue';

/** How a run ended, and the next row of its conversation. `isBusy`: another worker or run works on the row. */
export type Run = Readonly<{ outcome: JobOutcome; isBusy?: boolean }> & Ended;

/** A run after which nothing can start. */
export function ended(outcome: JobOutcome): Run {
  return { outcome, next: null };
}

/** No run: the work has already started elsewhere. */
export function busy(retryInMs: number): Run {
  return { outcome: { kind: 'delay', ms: retryInMs }, next: null, isBusy: true };
}

/** While the database is down nothing can be recorded, so the job itself waits, at most this long. */
const DATABASE_POLICY: RetryPolicy = { kind: 'exponential', baseMs: 500, capMs: 10_000 };

/** The outcome of a job while the database is down. */
export function waitForDatabase(attempt: number, random: () => number): JobOutcome {
  return { kind: 'delay', ms: retryDelayMs({ attempt, policy: DATABASE_POLICY, random }) };
}

/**
 * The breaker decides who may call a provider that is down; the pause only keeps idle workers from asking all the
 * time. It is short, so that an early end of an outage (a restart with other settings) shows soon.
 */
const MAX_PAUSE_MS = 30_000;

/** The outcome of a job that must wait for the next probe of a provider. */
export function pauseFor(ms: number): JobOutcome {
  return { kind: 'pause', ms: Math.min(ms, MAX_PAUSE_MS) };
}
