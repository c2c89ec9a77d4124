import { settlesWithin } from '@factmill/async';
import { AppError } from '@factmill/errors';
import {
  type BackendFactory,
  createPostgresBackend,
  DelayedError,
  type PostgresConnectionOptions,
  type PostgresPoolConfig,
  type PostgresQueueBackend,
  Queue,
  Worker,
} from 'bullmq';
import { Pool } from 'pg';
import type { ConsumerBackend, ConsumerOptions, ProducerBackend } from './backend.ts';
import { perQueue } from './per-queue.ts';
import { createPostgresStore } from './postgres-store.ts';
import type { PostgresQueueConfig } from './types.ts';
import { WORKER_SETTINGS } from './worker-settings.ts';

const DEADLINE_MS = 2_000;
/** A process that has just started, on a busy machine, takes seconds to get a connection. */
const CONNECT_MS = 10_000;
const CLOSE_MS = 1_000;

/**
 * How long an idle worker waits for a NOTIFY before it polls, in seconds. A transaction pooler forwards none;
 * embedded storage, in the same process, forwards all.
 */
const POLL_SECONDS = 5;
const EMBEDDED_POLL_SECONDS = 30;
const IDLE_INTERVAL_MS = 5_000;
/** Nobody else pauses a queue on embedded storage. */
const EMBEDDED_IDLE_INTERVAL_MS = 60_000;
/** Between checks for stalled jobs by an idle worker on embedded storage. */
const EMBEDDED_STALLED_CHECK_MS = 60_000;

/**
 * Connections for one queue or worker. The queue can be rebuilt from the ledger, so its commits need not wait for
 * the disk (2.5 times the jobs per second): when the server crashes, the last fraction of a second of queue states
 * is lost, and those jobs run again or the sweeper adds them again. More connections do not help: workers of one
 * queue meet at the same rows.
 */
function connectionFor(config: PostgresQueueConfig, max: number): PostgresPoolConfig {
  return {
    connectionString: config.connectionString,
    schema: config.schema,
    migrate: true,
    max,
    options: '-c synchronous_commit=off',
    connectionTimeoutMillis: CONNECT_MS,
    keepAlive: true,
  };
}

function assertEmbeddedSchema(config: PostgresQueueConfig): void {
  if (config.embedded && config.schema !== 'public') {
    throw new AppError('config_invalid', 'The queue on embedded storage must use the schema "public".');
  }
}

function unreachable(cause: unknown): AppError {
  return new AppError('queue_unavailable', 'The queue on Postgres cannot be opened.', { cause });
}

/**
 * Opens the queues and migrates their tables (under an advisory lock, safe with any number of starters).
 *
 * @throws AppError `queue_unavailable` when Postgres cannot be reached or refuses. BullMQ never retries a failed
 *   first connection, so a start without the database must fail instead of waiting.
 */
export async function openPostgresProducer(
  config: PostgresQueueConfig,
  onError: (error: unknown) => void,
): Promise<ProducerBackend> {
  assertEmbeddedSchema(config);
  const pool = new Pool({
    connectionString: config.connectionString,
    max: 1,
    connectionTimeoutMillis: CONNECT_MS,
    keepAlive: true,
  });
  pool.on('error', onError);
  const queues = perQueue((name) => {
    const queue = new Queue(name, { connection: connectionFor(config, 1) }, createPostgresBackend);
    queue.on('error', onError);
    return queue;
  });
  const close = async (): Promise<void> => {
    const closing = Promise.allSettled([...Object.values(queues).map((queue) => queue.close()), pool.end()]);
    await settlesWithin(closing, CLOSE_MS);
  };
  try {
    await Promise.all(Object.values(queues).map((queue) => queue.waitUntilReady()));
  } catch (error) {
    await close();
    throw unreachable(error);
  }
  return {
    // BullMQ's types name the Redis backend where any backend works.
    queues: queues as unknown as ProducerBackend['queues'],
    store: createPostgresStore(pool, config.schema),
    isReachable: () => true,
    deadlineMs: DEADLINE_MS,
    close,
  };
}

/**
 * A backend whose worker polls at least this often. BullMQ's own lets a worker that knows of a job in an hour sleep
 * for that hour unless a NOTIFY wakes it, which a transaction pooler does not forward.
 *
 * @param skipsStalledCheck is asked before each check for stalled jobs
 */
function pollingBackend(
  pollSeconds: number,
  skipsStalledCheck: () => boolean,
): BackendFactory<PostgresQueueBackend, PostgresConnectionOptions> {
  return (name, options, factoryOptions) => {
    const backend = createPostgresBackend(name, options, factoryOptions);
    Object.defineProperty(backend, 'maximumBlockTimeout', { value: pollSeconds });
    const check = backend.moveStalledJobsToWait.bind(backend);
    backend.moveStalledJobsToWait = () => (skipsStalledCheck() ? Promise.resolve([]) : check());
    return backend;
  };
}

/**
 * On embedded storage a queue has one worker. When that has run nothing for so long that the jobs of the process before
 * are taken back, none can be stalled: it looks seldom then.
 */
function createStalledCheckRest(isIdle: () => boolean): () => boolean {
  let checkedAt = Number.NEGATIVE_INFINITY;
  return () => {
    const now = performance.now();
    if (isIdle() && now - checkedAt < EMBEDDED_STALLED_CHECK_MS) return true;
    checkedAt = now;
    return false;
  };
}

/** @throws AppError `queue_unavailable`, as openPostgresProducer. */
export async function openPostgresConsumer(
  config: PostgresQueueConfig,
  options: ConsumerOptions,
): Promise<ConsumerBackend> {
  assertEmbeddedSchema(config);
  const pollSeconds = config.embedded ? EMBEDDED_POLL_SECONDS : POLL_SECONDS;
  const worker = new Worker(
    options.queue,
    options.processor,
    {
      ...WORKER_SETTINGS,
      connection: connectionFor(config, config.embedded ? 1 : 4),
      concurrency: options.concurrency,
      drainDelay: pollSeconds,
      autorun: false,
      // Each completion scans the kept jobs, and the ledger says what was done.
      removeOnComplete: { count: config.embedded ? 0 : 50 },
    },
    pollingBackend(pollSeconds, config.embedded ? createStalledCheckRest(options.isIdle) : () => false),
  );
  worker.on('error', options.onError);
  try {
    await worker.waitUntilReady();
  } catch (error) {
    await settlesWithin(worker.close(true), CLOSE_MS);
    throw unreachable(error);
  }
  return {
    worker: worker as unknown as ConsumerBackend['worker'],
    // BullMQ's "back to waiting" puts a job last here; a delay of zero keeps its place in the order.
    putBack: async (job, token) => {
      await job.moveToDelayed(Date.now(), token);
      return new DelayedError();
    },
    idleIntervalMs: config.embedded ? EMBEDDED_IDLE_INTERVAL_MS : IDLE_INTERVAL_MS,
    reconnect: () => undefined,
    disconnect: async () => {
      await settlesWithin(worker.getBackend().close(true), CLOSE_MS);
    },
  };
}
