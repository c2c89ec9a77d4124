import type { Config } from '@factmill/config';
import type { Ended, ErrorRecord, Release, Sql } from '@factmill/database';
import { AppError, isAppError } from '@factmill/errors';
import type { Logger } from '@factmill/telemetry';
import { blamesProvider, decidesForGood } from '../providers/error-treatments.ts';
import type { ProviderState, RunBreaker } from '../providers/run-breaker.ts';
import { decideRetry, finalErrorOf } from './decide-retry.ts';
import { readRetryPolicy } from './retry-policy.ts';
import { ended, pauseFor, type Run, waitForDatabase } from './run-outcome.ts';

/** The fields of a claim that failure handling needs. */
export type FailedClaim = Readonly<{ id: string; attempts: number }>;

export type HandleFailureDeps<Claim> = Readonly<{
  /** The claimed thing, for log lines. */
  noun: 'extraction' | 'compression' | 'replay';
  /** Puts the row back. */
  release: (claim: Claim, release: Release) => Promise<void>;
  /** Ends the row as failed. */
  fail: (claim: Claim, error: ErrorRecord) => Promise<Ended>;
  /** The id of a claim as a field of log lines. */
  idFields: (claim: Claim) => Readonly<Record<string, string>>;
  breaker: RunBreaker;
  database: Sql;
  config: Config['extractor'];
  logger: Logger;
  random: () => number;
}>;

/** For errors that blame no provider. */
const NOT_BLAMED: ProviderState = {
  failuresInRow: 0,
  othersSucceed: false,
  othersFail: false,
  ownFailures: 0,
  isDown: false,
};

/**
 * Handles a claimed run that threw: records the error in its row and decides what the job does next. Work is never
 * lost: when nothing can be recorded, the job stays in the queue.
 * - `fenced`: nothing is written, another worker has the row
 * - `shutting_down`: the row is released at once, without counting an attempt
 * - `database_unavailable`: the job waits; the row's lease runs out by itself
 * - everything else: by decideRetry
 */
export function createHandleFailure<Claim extends FailedClaim>(deps: HandleFailureDeps<Claim>) {
  const { breaker, logger, random } = deps;

  return async function handleFailure(
    claim: Claim,
    thrown: unknown,
    context: { signal: AbortSignal; attemptStarted: number },
  ): Promise<Run> {
    const error = errorOfRun(thrown, context.signal);
    if (error.code === 'fenced') return ended({ kind: 'done', counts: { fenced: 1 } });
    try {
      if (error.code === 'shutting_down') {
        await deps.release(claim, { delayMs: 0, countsAsAttempt: false, ...toErrorRecord(error) });
        return ended({ kind: 'delay', ms: 0 });
      }
      if (error.code === 'database_unavailable') {
        return ended(waitForDatabase(context.attemptStarted, random));
      }
      return await settle(claim, error);
    } catch (failure) {
      logger.warn({ err: failure, ...deps.idFields(claim) }, 'the error of a run could not be recorded');
      return ended(waitForDatabase(context.attemptStarted, random));
    }
  };

  async function settle(claim: Claim, error: AppError): Promise<Run> {
    const provider = blamesProvider(error.code) ? await breaker.failed(claim.id) : NOT_BLAMED;
    if (decidesForGood(error.code)) await breaker.answered(claim.id);
    const decision = decideRetry({
      error,
      attempts: claim.attempts,
      maxAttempts: deps.config.maxAttempts,
      policy: await readRetryPolicy(deps.database, deps.config),
      provider,
      random,
    });
    logger.warn(
      { ...deps.idFields(claim), code: error.code, decision: decision.kind, attempts: claim.attempts },
      `${deps.noun} failed`,
    );
    if (decision.kind === 'fail') {
      // The end of this run is no news about a provider that is down: the next call may probe it.
      if (provider.isDown) await breaker.trip(claim.id, error, provider, 0);
      const final = finalErrorOf(error);
      const { next } = await deps.fail(claim, toErrorRecord(final));
      return { outcome: { kind: 'fail', reason: final.code }, next };
    }
    if (decision.kind === 'retry') {
      const { delayMs, countsAsAttempt } = decision;
      await deps.release(claim, { delayMs, countsAsAttempt, ...toErrorRecord(error) });
      return ended({ kind: 'delay', ms: delayMs });
    }
    const delayMs = await breaker.trip(claim.id, error, provider, decision.delayMs);
    await deps.release(claim, { delayMs, countsAsAttempt: false, ...toErrorRecord(error) });
    return ended(pauseFor(delayMs));
  }
}

/** The thrown error, or the reason why the run was aborted. */
function errorOfRun(thrown: unknown, signal: AbortSignal): AppError {
  if (signal.aborted && isAppError(signal.reason)) return signal.reason;
  if (isAppError(thrown)) return thrown;
  return new AppError('internal', 'An unexpected error of the extractor; see its log.', { cause: thrown });
}

/** `model_throttled` is stored as `throttled`. */
function toErrorRecord(error: AppError): ErrorRecord {
  return { errorClass: error.code.replace(/^model_/, ''), errorMessage: error.message };
}
