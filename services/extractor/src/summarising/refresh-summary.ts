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
import { blamesProvider } from '../extracting/decide-retry.ts';
import type { ProviderBreaker } from '../extracting/provider-breaker.ts';
import type { createWriteSummary } from './write-summary.ts';

/** Tries that end in something that is no summary before the text is composed without the model. */
export const MODEL_ATTEMPTS = 3;

/** How a refresh can end: with what kind of text, without any change, or with an error. */
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
  /** Of the model's provider; null when there is no model. */
  breaker: ProviderBreaker | null;
  /** Longer than the longest honest refresh. */
  leaseMs: number;
  policy: RetryPolicy;
  logger: Logger;
  random: () => number;
  now: () => number;
}>;

/**
 * Refreshes the summary that has been due longest; resolves to false when there is none. Facts are never touched: a
 * refresh that fails puts the summary back, stale, to be tried again after a delay that grows. A provider that is away
 * burns no attempt: the breaker that extractions share is asked before a call and told of an outage, and until then no
 * other summary of this process is tried with the model. A reply that is no summary, or no
 * answer at all, burns an attempt, and after MODEL_ATTEMPTS the text is composed. Safe in any number of processes.
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
  let modelRestsUntil = 0;
  let providerFailures = 0;

  return async function refreshSummary(signal: AbortSignal): Promise<boolean> {
    const claim = await claimDueSummary(database, {
      leaseMs: deps.leaseMs,
      byModel: breaker === null || deps.now() >= modelRestsUntil,
      maxAttempts: MODEL_ATTEMPTS,
    });
    if (claim === undefined) return false;
    const asksModel = breaker !== null && claim.refreshedBy === 'model' && claim.attempts < MODEL_ATTEMPTS;
    const entry = asksModel ? await breaker.enter() : null;
    if (entry?.kind === 'rests') {
      modelRestsUntil = deps.now() + entry.waitMs;
      await putBack(claim, { delayMs: entry.waitMs, code: 'model_unavailable', failed: false, burns: false });
      return true;
    }
    const of = claim.conversationId === '' ? 'user' : 'conversation';
    const isProbe = entry?.kind === 'probe';
    try {
      const by = asksModel ? 'model' : 'composed';
      const summary = await withSpan('summarise', { attributes: { of } }, () =>
        deps.writeSummary(claim, by, signal),
      );
      if (asksModel) await answered(isProbe);
      const saved = await saveSummary(database, claim, summary);
      countRefreshed(1, { of, result: saved ? (summary.text?.source ?? 'unchanged') : 'fenced' });
    } catch (thrown) {
      const error = toAppError(thrown, signal);
      if (error.code === 'database_unavailable') throw error;
      countRefreshed(1, { of, result: error.code });
      await settle(claim, error, isProbe);
    }
    return true;
  };

  async function settle(claim: SummaryClaim, error: AppError, isProbe: boolean): Promise<void> {
    const { code, retryAfterSeconds } = error;
    if (code === 'shutting_down') return putBack(claim, { delayMs: 0, code, failed: false, burns: false });
    deps.logger.warn(
      { summary_id: claim.id, code, failures: claim.failures },
      'a summary could not be refreshed',
    );
    const delay = (attempt: number) => retryDelayMs({ attempt, policy, random, retryAfterSeconds });
    const away = blamesProvider(code);
    if (away) await rest(error, isProbe, delay);
    else if (code.startsWith('model_')) await answered(isProbe);
    const burns = !away || noAnswerOf(error) !== undefined;
    await putBack(claim, { delayMs: delay(claim.failures + 1), code, failed: true, burns });
  }

  /**
   * One failure that may have to do with what was asked is no outage for everybody: only what says so itself, or the
   * try that was to find out, is noted for all.
   */
  async function rest(error: AppError, isProbe: boolean, delay: (attempt: number) => number): Promise<void> {
    providerFailures += 1;
    let waitMs = delay(providerFailures);
    if (breaker !== null && (isProbe || error.code !== 'model_transient')) {
      waitMs = await breaker.failed({
        error,
        waitMs: Math.max(waitMs, breaker.probeIntervalMs),
        isProbe,
        extractionId: null,
      });
    }
    modelRestsUntil = deps.now() + waitMs;
  }

  async function answered(isProbe: boolean): Promise<void> {
    providerFailures = 0;
    if (isProbe) await breaker?.answered();
  }

  async function putBack(
    claim: SummaryClaim,
    { code, ...release }: Readonly<{ delayMs: number; code: string; failed: boolean; burns: boolean }>,
  ): Promise<void> {
    await releaseSummary(database, claim, { ...release, errorClass: code.replace(/^model_/, '') });
  }
}

function toAppError(thrown: unknown, signal: AbortSignal): AppError {
  if (signal.aborted) return new AppError('shutting_down', 'The worker is stopping.');
  if (isAppError(thrown)) return thrown;
  return new AppError('internal', 'An unexpected error of the summariser; see its log.', { cause: thrown });
}
