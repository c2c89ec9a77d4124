import { settlesWithin } from '@factmill/async';
import { AppError } from '@factmill/errors';
import type { QueueName } from '@factmill/contracts';
import type { Job as BullJob } from 'bullmq';
import type { ConsumerBackend } from './backend.ts';
import { errorCodeOf } from './error-code.ts';
import { createJobRunner } from './job-runner.ts';
import { createOutageLog } from './outage-log.ts';
import { watchPause } from './pause-watch.ts';
import { openPostgresConsumer } from './postgres-backend.ts';
import { createProgressTracker, isStuck } from './progress.ts';
import { openRedisConsumer } from './redis-backend.ts';
import type { QueueConfig, QueueWorker, WorkerDeps } from './types.ts';

/** As long as it takes at most until the jobs of a killed worker are taken back, see WORKER_SETTINGS. */
const IDLE_AFTER_MS = 11_000;

/** Time to hand back running jobs after the grace to close has ended. */
const HAND_BACK_MS = 1_000;

/**
 * Takes the jobs of one queue and runs the handler on them, `concurrency` at a time, until it is closed.
 *
 * No job is lost and none fails because of us: an exception of the handler delays the job; when a worker dies,
 * another one gets its jobs within 11 s. Workers survive a restart or a flush of the backend.
 *
 * With Redis it returns at once, whether or not Redis is there. With Postgres it rejects with `queue_unavailable`
 * when the database is down.
 */
export async function createWorker<Q extends QueueName>(
  config: QueueConfig,
  deps: WorkerDeps<Q>,
): Promise<QueueWorker> {
  const { queue, concurrency, logger, clock } = deps;
  const onError = createOutageLog({ logger, clock, part: `worker ${queue}` });
  const tracker = createProgressTracker({ clock, concurrency });
  const running = new Map<string, AbortController>();
  let closing: Promise<void> | undefined;

  const processor = async (job: BullJob, token?: string): Promise<unknown> => {
    const id = job.id ?? '';
    const controller = new AbortController();
    // The job was taken again while an earlier run still winds down: that run has lost its lock.
    running.get(id)?.abort(new AppError('fenced', 'The job was taken again.'));
    running.set(id, controller);
    tracker.taken();
    pauseWatch.busy();
    try {
      return await runner.run(job, token ?? '', controller);
    } finally {
      tracker.ended();
      if (running.get(id) === controller) running.delete(id);
    }
  };

  const isIdle = () => {
    const { running, lastProgressAt } = tracker.read();
    return running === 0 && clock() - lastProgressAt > IDLE_AFTER_MS;
  };
  const options = { queue, concurrency, processor, isIdle, onError };
  const backend: ConsumerBackend =
    config.backend === 'redis'
      ? openRedisConsumer(config, options)
      : await openPostgresConsumer(config, options);
  const { worker } = backend;
  const runner = createJobRunner({ ...deps, backend, isClosing: () => closing !== undefined });

  worker.on('error', onError);
  worker.on('lockRenewalFailed', (jobIds) => {
    for (const id of jobIds) {
      running.get(id)?.abort(new AppError('fenced', 'The lock of the job was lost.'));
    }
  });
  worker.on('stalled', (jobId) => logger.info({ queue, jobId }, 'job of a lost worker taken back'));
  const pauseWatch = watchPause({
    worker,
    tracker,
    clock,
    idleIntervalMs: backend.idleIntervalMs,
    reconnect: backend.reconnect,
    onError,
  });
  if (config.backend === 'postgres') {
    worker.run().catch(onError);
  }

  const close = async (graceMs: number): Promise<void> => {
    pauseWatch.stop();
    const finished = worker.close();
    if (!(await settlesWithin(finished, graceMs))) {
      for (const controller of running.values()) {
        controller.abort(new AppError('shutting_down', 'The worker is closing.'));
      }
      if (!(await settlesWithin(finished, HAND_BACK_MS))) {
        logger.warn({ queue, running: running.size }, 'worker closed before all jobs were handed back');
      }
    }
    await backend.disconnect().catch((error: unknown) => {
      logger.debug({ queue, code: errorCodeOf(error) }, 'worker connection not closed cleanly');
    });
  };

  return {
    progress: tracker.read,
    isStuck: (question) => closing === undefined && isStuck(tracker.read(), question),
    close: ({ graceMs }) => (closing ??= close(graceMs)),
  };
}
