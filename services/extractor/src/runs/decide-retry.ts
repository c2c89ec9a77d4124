import { AppError } from '@factmill/errors';
import { noAnswerOf } from '@factmill/models';
import { retryDelayMs, type RetryPolicy } from '@factmill/queue';
import { treatmentOf } from '../providers/error-treatments.ts';
import type { ProviderState } from '../providers/run-breaker.ts';

/**
 * What to do with a failed run.
 * - `fail`: it cannot succeed; recorded, and can be replayed
 * - `retry`: try again after `delayMs`
 * - `outage`: no run can succeed now: try again after `delayMs`, and pause the whole queue for as long
 */
export type Decision =
  | Readonly<{ kind: 'fail' }>
  | Readonly<{ kind: 'retry'; delayMs: number; countsAsAttempt: boolean }>
  | Readonly<{ kind: 'outage'; delayMs: number }>;

export type Failure = Readonly<{
  error: AppError;
  /** Attempts counted so far. */
  attempts: number;
  maxAttempts: number;
  policy: RetryPolicy;
  /** The state of the provider; read only when the error blames it. */
  provider: ProviderState;
  random: () => number;
}>;

/** Missing credit or a wrong key takes an operator more than seconds to fix. */
const OPERATOR_DELAY_MS = 30_000;

/** From this many failures in a row on, the provider counts as down; at once when it gives a time. */
const OUTAGE_FROM = 2;

/**
 * This many unanswered calls in a row end an extraction, even if nothing else shows that it is at fault, because each
 * may cost money. Two calls make one empty text, which ends it whatever happens to others. A missing reply ends it
 * only while no other extraction fails, because otherwise the endpoint is broken. At the default interval of 5 s this
 * takes half a minute and eight minutes.
 */
const MAX_UNANSWERED = { empty: 5, none: 100 } as const;

/** Pure policy: error and history → next step. An outage does not count as an attempt. */
export function decideRetry(failure: Failure): Decision {
  const { error, attempts, maxAttempts, policy, random, provider } = failure;
  const delayFor = (attempt: number) =>
    retryDelayMs({ attempt, policy, random, retryAfterSeconds: error.retryAfterSeconds });

  switch (treatmentOf(error.code)) {
    case 'fail':
      return { kind: 'fail' };
    case 'outage': {
      const delayMs = delayFor(provider.failuresInRow);
      const needsOperator = error.code === 'model_quota' || error.code === 'model_config';
      return { kind: 'outage', delayMs: needsOperator ? Math.max(delayMs, OPERATOR_DELAY_MS) : delayMs };
    }
    case 'transient': {
      if (isUnanswerable(failure)) return { kind: 'fail' };
      const hasNamedTime = (error.retryAfterSeconds ?? 0) > 0;
      if (provider.othersSucceed && !provider.isDown && !hasNamedTime) return attempt();
      const delayMs = delayFor(provider.failuresInRow);
      return provider.isDown || hasNamedTime || provider.failuresInRow >= OUTAGE_FROM
        ? { kind: 'outage', delayMs }
        : { kind: 'retry', delayMs, countsAsAttempt: false };
    }
    default:
      return attempt();
  }

  function attempt(): Decision {
    if (attempts + 1 >= maxAttempts) return { kind: 'fail' };
    return { kind: 'retry', delayMs: delayFor(attempts + 1), countsAsAttempt: true };
  }
}

function isUnanswerable({ error, provider }: Failure): boolean {
  const noAnswer = noAnswerOf(error);
  if (noAnswer === undefined || provider.ownFailures < MAX_UNANSWERED[noAnswer]) return false;
  return noAnswer === 'empty' || !provider.othersFail;
}

/** The stored form of an error that ends an extraction or a compression. */
export function finalErrorOf(error: AppError): AppError {
  if (noAnswerOf(error) === undefined) return error;
  return new AppError(
    'model_bad_reply',
    'The model endpoint answered each try with a success that holds no answer; the replies are kept. Replay it when the endpoint is mended.',
    { cause: error },
  );
}
