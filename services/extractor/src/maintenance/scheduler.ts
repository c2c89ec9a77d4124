import { type ChangeSignal, repeat, type Repeated } from '@factmill/async';
import type { QueueLimits } from '@factmill/config';
import type { Schedule } from '@factmill/contracts';
import {
  type DroppedExtraction,
  nextConversationDueMs,
  scheduleDueConversations,
  type Sql,
} from '@factmill/database';
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
  signal: ChangeSignal | null;
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
export function createScheduler(deps: SchedulerDeps): Repeated {
  const countScheduled = createCounter(
    'factmill_extractions_scheduled_total',
    'Extractions that the scheduler has made of conversations that were due',
    [{}],
  );
  return repeat({
    firstMs: deps.intervalMs,
    everyMs: deps.intervalMs,
    signal: deps.signal,
    round: async (signal) => {
      await round(signal);
      return deps.signal === null ? undefined : { idleMs: await nextConversationDueMs(deps.database) };
    },
    // What is due stays due; an operator sees the database in readiness.
    onError: (error) =>
      deps.logger.debug({ code: isAppError(error) ? error.code : 'internal' }, 'scheduling not possible'),
  });

  async function round(signal: AbortSignal): Promise<void> {
    for (;;) {
      const { conversations, scheduled, dropped } = await scheduleDueConversations(deps.database, {
        most: PAGE,
        limits: await deps.limits(),
        schedule: deps.schedule,
      });
      if (conversations === 0) return;
      countScheduled(scheduled.length);
      deps.logger.info({ conversations, extractions: scheduled.length }, 'scheduled');
      await deps.enqueueAccepted(scheduled, dropped);
      deps.signal?.changed();
      if (signal.aborted || conversations < PAGE) return;
    }
  }
}
