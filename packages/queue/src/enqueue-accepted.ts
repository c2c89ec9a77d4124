import { isAppError } from '@factmill/errors';
import { createCounter, type Logger } from '@factmill/telemetry';
import { extractJob, extractJobId, type QueuedExtraction } from './extract-job.ts';
import type { FindDropped } from './queue-limits.ts';
import type { Queues } from './types.ts';

export type EnqueueDeps = Readonly<{
  queues: Queues;
  logger: Logger;
  /** Which of these the queue limit has dropped; null when no limit is set. */
  findDropped: FindDropped | null;
}>;

/**
 * Updates the queue after a commit of the ledger: adds the new extractions and removes the dropped ones. Best effort:
 * the ledger decides, and the sweeper repairs the queue from it.
 *
 * A producer may add a job after another one has dropped its row. So it reads the ledger again after adding, and the
 * later of the two removes the job: the queue never stays deeper than the limit.
 */
export function createEnqueueAccepted(deps: EnqueueDeps) {
  const countMissed = createCounter(
    'factmill_enqueue_missed_total',
    'Accepted extractions left to the sweeper',
    [{}],
  );
  const countDropped = createCounter(
    'factmill_extractions_dropped_total',
    'Extractions dropped by a queue limit',
    [{}],
  );

  return async function enqueueAccepted(
    accepted: readonly QueuedExtraction[],
    dropped: readonly Pick<QueuedExtraction, 'id' | 'generation'>[],
  ): Promise<void> {
    if (dropped.length > 0) countDropped(dropped.length);
    const gone = new Set(dropped.map((extraction) => extraction.id));
    const wanted = accepted.filter((extraction) => !gone.has(extraction.id));
    try {
      // Sent in this order on one connection: the dropped leave before the new ones come. Not one after the other's
      // answer, because a queue that hangs is noticed by the adding first.
      await Promise.all([
        dropped.length === 0 ? undefined : deps.queues.remove('extract', dropped.map(extractJobId)),
        wanted.length === 0 ? undefined : deps.queues.enqueue(wanted.map(extractJob)),
      ]);
      if (deps.findDropped === null || wanted.length === 0) return;
      const late = new Set(await deps.findDropped(wanted));
      const stale = wanted.filter((extraction) => late.has(extraction.id));
      if (stale.length > 0) await deps.queues.remove('extract', stale.map(extractJobId));
    } catch (error) {
      if (wanted.length > 0) countMissed(wanted.length);
      deps.logger.warn(
        { code: isAppError(error) ? error.code : 'internal', extractions: wanted.length },
        'accepted, but not yet queued; the sweeper will',
      );
    }
  };
}
