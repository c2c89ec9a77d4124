import { type ChangeSignal, repeat, type Repeated } from '@factmill/async';
import { isAppError } from '@factmill/errors';
import type { Logger } from '@factmill/telemetry';
import type { createRefreshSummary } from './refresh-summary.ts';

export type SummariserDeps = Readonly<{
  refreshSummary: ReturnType<typeof createRefreshSummary>;
  /** Refreshes at a time. */
  concurrency: number;
  /** Time between two polls of the table. */
  intervalMs: number;
  logger: Logger;
  /** Milliseconds until the next refresh is due. */
  nextDueMs: () => Promise<number>;
  signal: ChangeSignal | null;
}>;

const FIRST_AFTER_MS = 500;

/**
 * Refreshes due summaries in every extractor, straight from the table: summaries are never urgent, the table has
 * everything that a job would say, and slow replies delay nothing in the queue that vectors share (ADR 7). `close`
 * aborts running refreshes; they are put back for the next extractor.
 */
export function createSummariser(deps: SummariserDeps): Repeated {
  const { concurrency, intervalMs, logger, refreshSummary } = deps;
  const lanes = Array.from({ length: concurrency }, (_, lane) =>
    repeat({
      firstMs: Math.min(FIRST_AFTER_MS, intervalMs) + (lane * intervalMs) / concurrency,
      everyMs: intervalMs,
      signal: deps.signal,
      round: async (signal) => {
        while (!signal.aborted && (await refreshSummary(signal)));
        return deps.signal === null ? undefined : { idleMs: await deps.nextDueMs() };
      },
      // Readiness shows a database that stays down; a claimed summary is free when its lease ends.
      onError: (error) =>
        logger.debug({ code: isAppError(error) ? error.code : 'internal' }, 'no summaries for now'),
    }),
  );
  return {
    close: async () => {
      await Promise.all(lanes.map((lane) => lane.close()));
    },
  };
}
