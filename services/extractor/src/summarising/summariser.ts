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

export type Summariser = Readonly<{ close: () => Promise<void> }>;

/**
 * Refreshes what is due, in every extractor, straight from the table: a summary is never urgent, the table says all
 * that a job would, and slow replies keep nothing waiting in a queue that vectors share (ADR 7). `close` aborts what
 * runs; it is put back and taken up by the next extractor.
 */
export function createSummariser(deps: SummariserDeps): Summariser {
  const stop = new AbortController();
  const timers = new Set<NodeJS.Timeout>();
  const running = new Set<Promise<void>>();

  async function round(): Promise<void> {
    try {
      while (!stop.signal.aborted && (await deps.refreshSummary(stop.signal)));
    } catch (error) {
      // The database comes back, or readiness says that it is away; what was claimed is free when its lease ends.
      deps.logger.debug({ code: isAppError(error) ? error.code : 'internal' }, 'no summaries for now');
    }
  }

  function schedule(delayMs: number): void {
    const timer = setTimeout(() => {
      timers.delete(timer);
      const work = round().finally(() => {
        running.delete(work);
        if (!stop.signal.aborted) schedule(deps.intervalMs);
      });
      running.add(work);
    }, delayMs);
    timers.add(timer);
  }
  for (let lane = 0; lane < deps.concurrency; lane += 1) {
    schedule(Math.min(500, deps.intervalMs) + (lane * deps.intervalMs) / deps.concurrency);
  }

  return {
    async close() {
      stop.abort();
      for (const timer of timers) clearTimeout(timer);
      await Promise.all(running);
    },
  };
}
