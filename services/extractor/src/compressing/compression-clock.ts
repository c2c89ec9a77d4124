import { type ChangeSignal, repeat, type Repeated } from '@factmill/async';
import type { CompressionConfig } from '@factmill/config';
import { type Sql, takeUnattendedRuns } from '@factmill/database';
import { isAppError } from '@factmill/errors';
import { toCronPattern } from '@factmill/extraction';
import { compressJob, compressJobId, type Queues } from '@factmill/queue';
import type { Logger } from '@factmill/telemetry';
import type { DuePeriods } from './due-periods.ts';

const PAGE = 500;

export type CompressionClockDeps = Readonly<{
  database: Sql;
  queues: Queues;
  duePeriods: Pick<DuePeriods, 'find'>;
  /** Enqueues open runs of shadow replays that the queue does not know. */
  putBackReplays: () => Promise<void>;
  config: CompressionConfig;
  timeZone: string;
  intervalMs: number;
  graceMs: number;
  logger: Logger;
  signal: ChangeSignal | null;
}>;

/**
 * Keeps compression going in every extractor: registers the schedules with the queue (which loses them when Redis is
 * flushed), requests due and missed periods, and enqueues open runs that the queue does not know. Any number of
 * processes may do all of it any number of times.
 */
export function createCompressionClock(deps: CompressionClockDeps): Repeated {
  const { config, database, queues, timeZone } = deps;

  async function schedule(): Promise<void> {
    for (const kind of ['daily', 'weekly'] as const) {
      const at = config[kind];
      await queues.schedule({
        id: `compression-${kind}`,
        name: 'compress-due',
        data: {},
        at: at === null ? null : { pattern: toCronPattern(at), timeZone },
      });
    }
  }

  async function askForMissed(): Promise<void> {
    const ids = (await deps.duePeriods.find()).map(({ kind, period }) => `compress-due_${kind}_${period}`);
    // A job that ran without reaching the end is removed here and added again.
    const missing = await queues.missing('compress-due', ids);
    await queues.enqueue(missing.map((jobId) => ({ name: 'compress-due', data: {}, jobId })));
  }

  async function putBack(): Promise<void> {
    const open = await takeUnattendedRuns(database, { graceMs: deps.graceMs, limit: PAGE });
    const missing = new Set(await queues.missing('compress', open.map(compressJobId)));
    await queues.enqueue(open.filter((run) => missing.has(compressJobId(run))).map(compressJob));
  }

  function onError(error: unknown): void {
    // Readiness shows a store that stays down; the next round repeats the work.
    const code = isAppError(error) ? error.code : 'internal';
    deps.logger.debug({ code }, 'compression could not be asked for');
  }

  async function round(): Promise<{ idleMs: number }> {
    for (const step of [schedule, askForMissed, putBack, deps.putBackReplays]) {
      try {
        await step();
      } catch (error) {
        onError(error);
      }
    }
    // A period that ends is the schedules' business; a run that is open ends by a job.
    return { idleMs: Number.POSITIVE_INFINITY };
  }

  return repeat({ firstMs: 0, everyMs: deps.intervalMs, round, onError, signal: deps.signal });
}
