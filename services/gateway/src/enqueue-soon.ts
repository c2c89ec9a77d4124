import { isAppError } from '@factmill/errors';
import type { JobEntry } from '@factmill/queue';
import type { RouteDeps } from './route-deps.ts';

/**
 * Enqueues a job so that its work begins at once. Only for work that the database knows of: when the queue is down, the
 * sweeper of an extractor finds it there. Never rejects.
 */
export async function enqueueSoon(
  {
    queues,
    logger,
  }: Readonly<{
    queues: Pick<RouteDeps['queues'], 'enqueue'>;
    logger: Pick<RouteDeps['logger'], 'warn'>;
  }>,
  job: JobEntry,
): Promise<void> {
  try {
    await queues.enqueue([job]);
  } catch (error) {
    logger.warn(
      { job: job.name, code: isAppError(error) ? error.code : 'internal' },
      'not queued yet; the sweeper will do it',
    );
  }
}
