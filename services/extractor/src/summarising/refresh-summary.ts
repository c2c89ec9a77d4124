import {
  claimDueSummary,
  releaseSummary,
  saveSummary,
  type Sql,
  type SummaryClaim,
} from '@factmill/database';
import { AppError, ERROR_CODES, isAppError } from '@factmill/errors';
import { retryDelayMs, type RetryPolicy } from '@factmill/queue';
import { createCounter, type Logger, seriesOf, withSpan } from '@factmill/telemetry';
import { noAnswerOf } from '@factmill/models';
import type { Breaker } from '../providers/breaker.ts';
import { blamesProvider } from '../providers/error-treatments.ts';
import type { createWriteSummary } from './write-summary.ts';

/** Attempts with an unusable reply before the text is composed without the model. */
const MODEL_ATTEMPTS = 3;

/** How a refresh can end: with a kind of text, without a change, or with an error. */
const RESULTS = [
  'model',
  'composed',
  'unchanged',
  'fenced',
  ...ERROR_CODES.filter((code) => code.startsWith('model_')),
  'database_unavailable',
  'shutting_down',
  'internal',
];

export type RefreshDeps = Readonly<{
  database: Sql;
  writeSummary: ReturnType<typeof createWriteSummary>;
  /** Of the model's provider; null without a model. */
  breaker: Breaker | null;
  /** Longer than the longest regular refresh. */
  leaseMs: number;
  policy: RetryPolicy;
  logger: Logger;
  random: () => number;
  now: () => number;
}>;

/**
 * Refreshes the summary that has been due longest; resolves to false when none is due. Memories are never changed: a
 * failed refresh puts the summary back, stale, for another attempt after a growing delay. An outage of the provider
 * does not count as an attempt: each call acquires a permit from the breaker that extractions share, and after a
 * denied one this process tries no other summary with the model. An unusable or missing reply counts; after
 * MODEL_ATTEMPTS the text is composed. Safe in any number of processes.
 *
 * @throws AppError `database_unavailable`
 */
export function createRefreshSummary(deps: RefreshDeps) {
  const { database, breaker, policy, random } = deps;
  const countRefreshed = createCounter(
    'factmill_summaries_total',
    'Refreshes of summaries',
    seriesOf({ of: ['user', 'conversation'], result: RESULTS }),
  );
  let deniedUntil = 0;
  let providerFailures = 0;

  return async function refreshSummary(signal: AbortSignal): Promise<boolean> {
    const claim = await claimDueSummary(database, {
      leaseMs: deps.leaseMs,
      byModel: breaker === null || deps.now() >= deniedUntil,
      maxAttempts: MODEL_ATTEMPTS,
    });
    if (claim === undefined) return false;
    const asksModel = breaker !== null && claim.refreshedBy === 'model' && claim.attempts < MODEL_ATTEMPTS;
    const permit = asksModel ? await breaker.acquire() : null;
    if (permit?.kind === 'denied') {
      const { waitMs: delayMs } = permit;
      deniedUntil = deps.now() + delayMs;
      await putBack(claim, { delayMs, code: 'model_unavailable', failed: false, countsAsAttempt: false });
      return true;
    }
    const of = claim.conversationId === '' ? 'user' : 'conversation';
    const isProbe = permit?.kind === 'probe';
    try {
      const by = asksModel ? 'model' : 'composed';
      const summary = await withSpan('summarise', { attributes: { of } }, () =>
        deps.writeSummary(claim, by, signal),
      );
      if (asksModel) await answered(isProbe);
      const saved = await saveSummary(database, claim, summary);
      countRefreshed(1, { of, result: saved ? (summary.text?.source ?? 'unchanged') : 'fenced' });
    } catch (thrown) {
      const error = errorOfRefresh(thrown, signal);
      if (error.code === 'database_unavailable') throw error;
      countRefreshed(1, { of, result: error.code });
      await settle(claim, error, isProbe);
    }
    return true;
  };

  async function settle(claim: SummaryClaim, error: AppError, isProbe: boolean): Promise<void> {
    const { code, retryAfterSeconds } = error;
    if (code === 'shutting_down')
      return putBack(claim, { delayMs: 0, code, failed: false, countsAsAttempt: false });
    deps.logger.warn(
      { summary_id: claim.id, code, failures: claim.failures },
      'a summary could not be refreshed',
    );
    const delay = (attempt: number) => retryDelayMs({ attempt, policy, random, retryAfterSeconds });
    const away = blamesProvider(code);
    if (away) await trip(error, isProbe, delay);
    else if (code.startsWith('model_')) await answered(isProbe);
    const countsAsAttempt = !away || noAnswerOf(error) !== undefined;
    await putBack(claim, { delayMs: delay(claim.failures + 1), code, failed: true, countsAsAttempt });
  }

  /**
   * One failure may be the question's fault. Only an error that itself means an outage, or a failed probe, trips the
   * breaker for all.
   */
  async function trip(error: AppError, isProbe: boolean, delay: (attempt: number) => number): Promise<void> {
    providerFailures += 1;
    let waitMs = delay(providerFailures);
    if (breaker !== null && (isProbe || error.code !== 'model_transient')) {
      waitMs = await breaker.trip({
        error,
        waitMs: Math.max(waitMs, breaker.probeIntervalMs),
        isProbe,
        runId: null,
      });
    }
    deniedUntil = deps.now() + waitMs;
  }

  async function answered(isProbe: boolean): Promise<void> {
    providerFailures = 0;
    if (isProbe) await breaker?.reset();
  }

  async function putBack(
    claim: SummaryClaim,
    {
      code,
      ...release
    }: Readonly<{ delayMs: number; code: string; failed: boolean; countsAsAttempt: boolean }>,
  ): Promise<void> {
    await releaseSummary(database, claim, { ...release, errorClass: code.replace(/^model_/, '') });
  }
}

function errorOfRefresh(thrown: unknown, signal: AbortSignal): AppError {
  if (signal.aborted) return new AppError('shutting_down', 'The worker is stopping.');
  if (isAppError(thrown)) return thrown;
  return new AppError('internal', 'An unexpected error of the summariser; see its log.', { cause: thrown });
}
