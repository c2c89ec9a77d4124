import { createBatcher, withDeadline } from '@factmill/async';
import { JOBS, type JobName, QUEUE_NAMES, type QueueName } from '@factmill/contracts';
import { AppError, isAppError } from '@factmill/errors';
import type { Queue } from 'bullmq';
import type { ProducerBackend } from './backend.ts';
import { restoreFastStrings } from './restore-fast-strings.ts';
import { createOutageLog } from './outage-log.ts';
import { openPostgresProducer } from './postgres-backend.ts';
import { perQueue } from './per-queue.ts';
import { openRedisProducer } from './redis-backend.ts';
import { setSchedule } from './schedule.ts';
import type { JobEntry, QueueConfig, QueueCounts, Queues, QueuesDeps } from './types.ts';
import { PAUSE_LIMITER } from './worker-settings.ts';

/** About 20 ms of Redis, 50 ms of Postgres: well inside the deadline of one round trip. */
const ENTRIES_PER_ROUND_TRIP = 500;

/**
 * The entries of one request fit into the backend's deadline; a bulk (a sweep, a replay) gets this much more per
 * entry.
 */
const DEADLINE_PER_ENTRY_MS = 2;

/** A dashboard or a sweep can wait longer than a request. */
const SLOW_DEADLINE_MS = 5_000;

type BulkEntry = Readonly<{ name: string; data: unknown; opts: { jobId: string; stackTraceLimit: 0 } }>;

function unavailable(cause?: unknown): AppError {
  return new AppError('queue_unavailable', 'The queue is not available at the moment.', { cause });
}

/** Checked before entries are sent together with others, because one that BullMQ refuses would fail them all. */
function toBulkEntry(entry: JobEntry): BulkEntry {
  const parsed = JOBS[entry.name].payload.safeParse(entry.data);
  if (!parsed.success) throw new AppError('internal', `The payload of a ${entry.name} job does not fit.`);
  if (entry.jobId === '' || entry.jobId.includes(':') || /^\d+$/.test(entry.jobId)) {
    throw new AppError('internal', `The id of a ${entry.name} job is empty, all digits or has a colon.`);
  }
  return { name: entry.name, data: parsed.data, opts: { jobId: entry.jobId, stackTraceLimit: 0 } };
}

/**
 * The adding side of the queue, over both backends.
 *
 * With Redis it waits up to 1 s for the connection and returns whether or not Redis is there. With Postgres it
 * rejects with `queue_unavailable` when the database, which also holds the ledger, is down.
 */
export async function createQueues(config: QueueConfig, deps: QueuesDeps): Promise<Queues> {
  restoreFastStrings();
  const onError = createOutageLog({ ...deps, part: 'queues' });
  const backend: ProducerBackend =
    config.backend === 'redis'
      ? await openRedisProducer(config, onError)
      : await openPostgresProducer(config, onError);

  const requestDeadlineMs = deps.deadlineMs ?? backend.deadlineMs;
  const ask = async <T>(question: () => Promise<T>, deadlineMs: number): Promise<T> => {
    if (!backend.isReachable()) throw unavailable();
    try {
      return await withDeadline({ ms: deadlineMs, onTimeout: unavailable }, question);
    } catch (error) {
      throw isAppError(error) ? error : unavailable(error);
    }
  };

  const batchers = perQueue((queue) =>
    createBatcher<readonly BulkEntry[], void>({
      maxSize: ENTRIES_PER_ROUND_TRIP,
      sizeOf: (entries) => entries.length,
      maxInFlight: 1,
      run: async (lists) => {
        const entries = lists.flat();
        for (let start = 0; start < entries.length; start += ENTRIES_PER_ROUND_TRIP) {
          const part = entries.slice(start, start + ENTRIES_PER_ROUND_TRIP);
          const deadlineMs = Math.max(requestDeadlineMs, part.length * DEADLINE_PER_ENTRY_MS);
          await ask(() => addTo(backend.queues[queue], part), deadlineMs);
        }
        return [];
      },
      failureOf: () => 'outage',
    }),
  );

  const enqueue = async (entries: readonly JobEntry[]): Promise<void> => {
    const lists = perQueue<BulkEntry[]>(() => []);
    for (const entry of entries) lists[JOBS[entry.name].queue].push(toBulkEntry(entry));
    if (!backend.isReachable()) throw unavailable();
    const used = QUEUE_NAMES.filter((queue) => lists[queue].length > 0);
    await Promise.all(used.map((queue) => batchers[queue].submit(lists[queue])));
  };

  const remove = async (name: JobName, jobIds: readonly string[]): Promise<readonly string[]> =>
    jobIds.length === 0
      ? []
      : ask(() => backend.store.removeWaiting(JOBS[name].queue, jobIds), SLOW_DEADLINE_MS);

  const missing = async (name: JobName, jobIds: readonly string[]): Promise<readonly string[]> =>
    jobIds.length === 0
      ? []
      : ask(() => backend.store.forgetFinished(JOBS[name].queue, jobIds), SLOW_DEADLINE_MS);

  const oldestWaitingAgeMs = async (queue: QueueName): Promise<number> => {
    const addedAt = await ask(() => backend.store.oldestWaitingAt(queue), SLOW_DEADLINE_MS);
    return addedAt === null ? 0 : Math.max(deps.clock() - addedAt, 0);
  };

  const pausedMs = async (queue: QueueName): Promise<number> => {
    const ttlMs = await ask(() => backend.queues[queue].getRateLimitTtl(PAUSE_LIMITER.max), SLOW_DEADLINE_MS);
    return Math.max(ttlMs, 0);
  };

  const pause = async (queue: QueueName, ms: number): Promise<void> => {
    if ((await pausedMs(queue)) >= ms) return;
    await ask(() => backend.queues[queue].rateLimit(Math.ceil(ms)), SLOW_DEADLINE_MS);
  };

  return {
    enqueue,
    remove,
    missing,
    counts: async () => {
      const asked = perQueue((queue) => ask(() => countJobs(backend.queues[queue]), SLOW_DEADLINE_MS));
      const [extraction, compression, maintenance] = await Promise.all([
        asked.extraction,
        asked.compression,
        asked.maintenance,
      ]);
      return { extraction, compression, maintenance };
    },
    oldestWaitingAgeMs,
    pause,
    resume: async (queue) => {
      await ask(() => backend.queues[queue].removeRateLimitKey(), SLOW_DEADLINE_MS);
    },
    pausedMs,
    schedule: (entry) =>
      ask(() => setSchedule(backend.queues[JOBS[entry.name].queue], entry, deps.clock()), SLOW_DEADLINE_MS),
    bullQueues: () => QUEUE_NAMES.map((queue) => backend.queues[queue]),
    ping: () => ask(backend.store.ping, Math.max(requestDeadlineMs, 500)),
    close: backend.close,
  };
}

/**
 * On Postgres a bulk creates two temporary tables, which costs five times as much as one job alone (10 ms
 * embedded).
 */
function addTo(queue: Queue, entries: readonly BulkEntry[]): Promise<unknown> {
  const [first, ...others] = entries;
  return first !== undefined && others.length === 0
    ? queue.add(first.name, first.data, first.opts)
    : queue.addBulk([...entries]);
}

async function countJobs(queue: Queue): Promise<QueueCounts> {
  const counts = await queue.getJobCounts('waiting', 'active', 'delayed', 'failed', 'completed');
  const of = (state: string): number => counts[state] ?? 0;
  return {
    waiting: of('waiting'),
    active: of('active'),
    delayed: of('delayed'),
    failed: of('failed'),
    completed: of('completed'),
  };
}
