import type { QueueLimits } from '@factmill/config';
import type { Schedule } from '@factmill/contracts';
import { type DroppedExtraction, scheduleDueConversations, type Sql } from '@factmill/database';
import { isAppError } from '@factmill/errors';
import type { QueuedExtraction } from '@factmill/queue';
import { createCounter, type Logger } from '@factmill/telemetry';

export type SchedulerDeps = Readonly<{
  database: Sql;
  logger: Logger;
  intervalMs: number;
  schedule: Schedule;
  limits: () => Promise<QueueLimits>;
  enqueueAccepted: (
    scheduled: readonly QueuedExtraction[],
    dropped: readonly DroppedExtraction[],
  ) => Promise<void>;
}>;

export type Scheduler = Readonly<{
  /** One round; resolves to how many extractions it has scheduled. */
  run: () => Promise<number>;
  close: () => Promise<void>;
}>;

/** Conversations in one statement. */
const PAGE = 200;

/** How long a conversation that is due waits at most for a round; an idle round is one look into an index. */
export const SCHEDULE_INTERVAL_MS = 500;

/**
 * Schedules conversations whose time has come: quiet gap, idle timeout, daily flush, or left behind by their user. The
 * times are in Postgres, so they survive whatever happens to processes and queue. Runs in every extractor on a timer
 * of its own; rounds of several processes take different conversations.
 */
export function createScheduler(deps: SchedulerDeps): Scheduler {
  const countScheduled = createCounter(
    'factmill_extractions_scheduled_total',
    'Extractions that the scheduler has made of conversations that were due',
    [{}],
  );
  let closed = false;
  let running: Promise<unknown> = Promise.resolve();
  let timer: NodeJS.Timeout | undefined;

  async function run(): Promise<number> {
    let total = 0;
    for (;;) {
      const { conversations, scheduled, dropped } = await scheduleDueConversations(deps.database, {
        most: PAGE,
        limits: await deps.limits(),
        schedule: deps.schedule,
      });
      if (conversations === 0) return total;
      countScheduled(scheduled.length);
      deps.logger.info({ conversations, extractions: scheduled.length }, 'scheduled');
      await deps.enqueueAccepted(scheduled, dropped);
      total += scheduled.length;
      if (closed || conversations < PAGE) return total;
    }
  }

  async function round(): Promise<void> {
    try {
      await run();
    } catch (error) {
      // What is due stays due; an operator sees the database in readiness.
      deps.logger.debug({ code: isAppError(error) ? error.code : 'internal' }, 'scheduling not possible');
    }
  }

  function wait(): void {
    timer = setTimeout(() => {
      running = round().finally(() => {
        if (!closed) wait();
      });
    }, deps.intervalMs);
  }
  wait();

  return {
    run,
    async close() {
      closed = true;
      clearTimeout(timer);
      await running;
    },
  };
}
