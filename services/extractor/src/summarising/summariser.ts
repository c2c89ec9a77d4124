import { repeat, type Repeated } from '@factmill/async';
import { isAppError } from '@factmill/errors';
import type { Logger } from '@factmill/telemetry';
import type { createRefreshSummary } from './refresh-summary.ts';

export type SummariserDeps = Readonly<{
  refreshSummary: ReturnType<typeof createRefreshSummary>;
  /** Refreshes at a time. */
  concurrency: number;
  /** Between looks at the table. */
  intervalMs: number;
  logger: Logger;
}>;

const FIRST_AFTER_MS = 500;

/**
 * Refreshes what is due, in every extractor, straight from the table: a summary is never urgent, the table says all
 * that a job would, and slow replies keep nothing waiting in a queue that vectors share (ADR 7). `close` aborts what
 * runs; it is put back and taken up by the next extractor.
 */
export function createSummariser(deps: SummariserDeps): Repeated {
  const { concurrency, intervalMs, logger, refreshSummary } = deps;
  const lanes = Array.from({ length: concurrency }, (_, lane) =>
    repeat({
      firstMs: Math.min(FIRST_AFTER_MS, intervalMs) + (lane * intervalMs) / concurrency,
      everyMs: intervalMs,
      round: async (signal) => {
        while (!signal.aborted && (await refreshSummary(signal)));
      },
      // The database comes back, or readiness says that it is away; what was claimed is free when its lease ends.
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
