import {
  claimDueSummary,
  releaseSummary,
  saveSummary,
  type Sql,
  type SummaryClaim,
} from '@factmill/database';
import { isAppError } from '@factmill/errors';
import { retryDelayMs, type RetryPolicy } from '@factmill/queue';
import { createCounter, type Logger, withSpan } from '@factmill/telemetry';
import { blamesProvider } from '../extracting/decide-retry.ts';
import type { createWriteSummary } from './write-summary.ts';

/** Tries that end in something that is no summary before the text is composed without the model. */
export const MODEL_ATTEMPTS = 3;

export type RefreshDeps = Readonly<{
  database: Sql;
  writeSummary: ReturnType<typeof createWriteSummary>;
  /** Whether there is a model to ask. */
  hasModel: boolean;
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
 * burns no attempt, and rests for all summaries of this process; a reply that is no summary burns one, and after
 * MODEL_ATTEMPTS the text is composed. Safe in any number of processes.
 *
 * @throws AppError `database_unavailable`
 */
export function createRefreshSummary(deps: RefreshDeps) {
  const countRefreshed = createCounter('factmill_summaries_total', 'Refreshes of summaries');
  let modelRestsUntil = 0;
  let providerFailures = 0;

  return async function refreshSummary(signal: AbortSignal): Promise<boolean> {
    const claim = await claimDueSummary(deps.database, {
      leaseMs: deps.leaseMs,
      byModel: !deps.hasModel || deps.now() >= modelRestsUntil,
      maxAttempts: MODEL_ATTEMPTS,
    });
    if (claim === undefined) return false;
    const of = claim.conversationId === '' ? 'user' : 'conversation';
    try {
      const by = deps.hasModel && claim.refreshedBy === 'model' && claim.attempts < MODEL_ATTEMPTS;
      const summary = await withSpan('summarise', { attributes: { of } }, () =>
        deps.writeSummary(claim, by ? 'model' : 'composed', signal),
      );
      if (by) providerFailures = 0;
      const saved = await saveSummary(deps.database, claim, summary);
      countRefreshed(1, { of, result: saved ? (summary.text?.source ?? 'unchanged') : 'fenced' });
    } catch (error) {
      const code = isAppError(error) ? error.code : 'internal';
      if (code === 'database_unavailable') throw error;
      const given = signal.aborted ? 'shutting_down' : code;
      countRefreshed(1, { of, result: given });
      await putBack(claim, given, isAppError(error) ? error.retryAfterSeconds : undefined);
      if (!signal.aborted) {
        const { failures } = claim;
        deps.logger.warn({ summary_id: claim.id, code, failures }, 'a summary could not be refreshed');
      }
    }
    return true;
  };

  async function putBack(
    claim: SummaryClaim,
    code: Parameters<typeof blamesProvider>[0],
    retryAfterSeconds: number | undefined,
  ): Promise<void> {
    const { policy, random } = deps;
    const stopping = code === 'shutting_down';
    const away = blamesProvider(code);
    const delayMs = stopping
      ? 0
      : retryDelayMs({ attempt: claim.failures + 1, policy, random, retryAfterSeconds });
    if (away) {
      providerFailures += 1;
      modelRestsUntil =
        deps.now() + retryDelayMs({ attempt: providerFailures, policy, random, retryAfterSeconds });
    }
    await releaseSummary(deps.database, claim, {
      delayMs,
      failed: !stopping,
      burns: !stopping && !away,
      errorClass: code.replace(/^model_/, ''),
    });
  }
}
