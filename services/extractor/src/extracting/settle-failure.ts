import type { Config } from '@factmill/config';
import {
  type Claim,
  type Ended,
  failExtraction,
  readSettings,
  releaseExtraction,
  type Sql,
} from '@factmill/database';
import { AppError, isAppError } from '@factmill/errors';
import { type JobOutcome, retryDelayMs, type RetryPolicy } from '@factmill/queue';
import type { Logger } from '@factmill/telemetry';
import { blamesProvider, decideRetry, finalErrorOf } from './decide-retry.ts';
import type { ProviderOutlook } from './provider-health.ts';
import type { ProviderWatch } from './provider-watch.ts';

export type SettleDeps = Readonly<{
  database: Sql;
  config: Config['extractor'];
  watch: ProviderWatch;
  logger: Logger;
  random: () => number;
}>;

/** How a run of an extraction ended, and what comes next in its conversation. */
export type Run = Readonly<{ outcome: JobOutcome }> & Ended;

/** A run after which nothing can start. */
export function only(outcome: JobOutcome): Run {
  return { outcome, next: null };
}

/** Errors that only a provider that is there can cause. */
const ANSWERED: ReadonlySet<string> = new Set([
  'model_bad_reply',
  'model_truncated',
  'model_refusal',
  'model_input',
]);

/** While the database is away the ledger cannot be written; the job itself waits, with this cap. */
const DATABASE_POLICY: RetryPolicy = { kind: 'exponential', baseMs: 500, capMs: 10_000 };

/** The outcome of a job that can do nothing as long as the database is away. */
export function waitForDatabase(attempt: number, random: () => number): JobOutcome {
  return { kind: 'delay', ms: retryDelayMs({ attempt, policy: DATABASE_POLICY, random }) };
}

/**
 * Turns an error of a claimed extraction into a ledger entry and the job's outcome. Never loses the extraction:
 * what cannot be written to the ledger stays with the queue.
 */
export function createSettleFailure(deps: SettleDeps) {
  return async function settleFailure(
    claim: Claim,
    thrown: unknown,
    context: { signal: AbortSignal; attemptStarted: number },
  ): Promise<Run> {
    const error = toAppError(thrown, context.signal);
    if (error.code === 'fenced') return only({ kind: 'done', counts: { fenced: 1 } });
    try {
      if (error.code === 'shutting_down') {
        await releaseExtraction(deps.database, claim, { delayMs: 0, burns: false, ...recordOf(error) });
        return only({ kind: 'delay', ms: 0 });
      }
      if (error.code === 'database_unavailable') {
        return only(waitForDatabase(context.attemptStarted, deps.random));
      }
      return await record(claim, error);
    } catch (failure) {
      deps.logger.warn({ err: failure, extraction_id: claim.id }, 'the ledger could not be written');
      return only(waitForDatabase(context.attemptStarted, deps.random));
    }
  };

  async function record(claim: Claim, error: AppError): Promise<Run> {
    const provider = blamesProvider(error.code) ? await deps.watch.failed(claim) : NOT_BLAMED;
    if (ANSWERED.has(error.code)) await deps.watch.answered(claim);
    const decision = decideRetry({
      error,
      attempts: claim.attempts,
      maxAttempts: deps.config.maxAttempts,
      policy: await readRetryPolicy(deps.database, deps.config),
      provider,
      random: deps.random,
    });
    const entry = recordOf(error);
    deps.logger.warn(
      { extraction_id: claim.id, code: error.code, decision: decision.kind, attempts: claim.attempts },
      'extraction failed',
    );
    if (decision.kind === 'fail') {
      // The end of this one is no news of a provider that is down: whoever comes next tries it.
      if (provider.isDown) await deps.watch.rest(claim, error, provider, 0);
      const final = finalErrorOf(error);
      const { next } = await failExtraction(deps.database, claim, recordOf(final));
      return { outcome: { kind: 'fail', reason: final.code }, next };
    }
    if (decision.kind === 'retry') {
      const { delayMs, burns } = decision;
      await releaseExtraction(deps.database, claim, { delayMs, burns, ...entry });
      return only({ kind: 'delay', ms: delayMs });
    }
    const delayMs = await deps.watch.rest(claim, error, provider, decision.delayMs);
    await releaseExtraction(deps.database, claim, { delayMs, burns: false, ...entry });
    return only(pauseFor(delayMs));
  }
}

/** The outlook where nothing blames the provider. */
export const NOT_BLAMED: ProviderOutlook = {
  failuresInRow: 0,
  othersSucceed: false,
  othersFail: false,
  ownFailures: 0,
  isDown: false,
};

/**
 * Who may call a provider that is down is decided by its breaker; the queue rests only to keep idle workers from asking
 * all the time. So not for long at a time: what ends an outage early (a restart with other settings) is then soon seen.
 */
const PAUSE_CAP_MS = 30_000;

/** The outcome of a job that can do nothing before a provider is tried again. */
export function pauseFor(ms: number): JobOutcome {
  return { kind: 'pause', ms: Math.min(ms, PAUSE_CAP_MS) };
}

/**
 * The retry policy in force (A12): what an operator has set at run time (`retry.strategy`, `retry.interval_ms`,
 * `retry.max_interval_ms`) wins over the environment. Read anew for each retry.
 */
export async function readRetryPolicy(database: Sql, config: Config['extractor']): Promise<RetryPolicy> {
  const settings = await readSettings(database);
  const strategy = settings['retry.strategy'] ?? config.retry.strategy;
  const intervalMs = positive(settings['retry.interval_ms']) ?? config.retry.intervalMs;
  const maxIntervalMs = positive(settings['retry.max_interval_ms']) ?? config.retry.maxIntervalMs;
  return strategy === 'exponential'
    ? { kind: 'exponential', baseMs: intervalMs, capMs: maxIntervalMs }
    : { kind: 'fixed', intervalMs };
}

function positive(value: unknown): number | undefined {
  return typeof value === 'number' && Number.isFinite(value) && value > 0 ? value : undefined;
}

/** What was thrown, or why the run was aborted. */
export function toAppError(thrown: unknown, signal: AbortSignal): AppError {
  if (signal.aborted && isAppError(signal.reason)) return signal.reason;
  if (isAppError(thrown)) return thrown;
  return new AppError('internal', 'An unexpected error of the extractor; see its log.', { cause: thrown });
}

/** Class and sentence for the ledger: `model_throttled` is shown as `throttled`. */
export function recordOf(error: AppError): { errorClass: string; errorMessage: string } {
  return { errorClass: error.code.replace(/^model_/, ''), errorMessage: error.message };
}
