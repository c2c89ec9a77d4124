import type { JobData, JobName, JobNameOn, QueueName } from '@factmill/contracts';
import type { RedisAddress } from '@factmill/redis';
import type { Queue } from 'bullmq';

/**
 * Redis holds the queue. Every key begins with `keyPrefix`, so that several installations can share a server. For a
 * cluster it has a part in braces, which keeps all keys in one slot.
 */
export type RedisQueueConfig = RedisAddress & Readonly<{ backend: 'redis'; keyPrefix: string }>;

/**
 * Postgres holds the queue. `embedded` says that PGlite is behind the connection string: one session for all
 * connections, so `schema` must be `public` and a worker has one connection.
 */
export type PostgresQueueConfig = Readonly<{
  backend: 'postgres';
  connectionString: string;
  schema: string;
  embedded: boolean;
}>;

export type QueueConfig = RedisQueueConfig | PostgresQueueConfig;

type Log = (fields: Record<string, unknown>, message: string) => void;

/** The part of a pino logger that this package uses. */
export type QueueLogger = Readonly<{ debug: Log; info: Log; warn: Log; error: Log }>;

/** Milliseconds since the epoch. */
export type Clock = () => number;

/** One job to add. `jobId` holds no `:` and is not all digits. A job with the same id that is still stored wins. */
export type JobEntry = {
  [N in JobName]: Readonly<{ name: N; data: JobData<N>; jobId: string }>;
}[JobName];

/** A recurring job: `pattern` is a cron pattern of five fields in `timeZone`; null: never. */
export type ScheduledJob = {
  [N in JobName]: Readonly<{
    name: N;
    data: JobData<N>;
    /** The id of the schedule, independent of its times; it holds no `:`. */
    id: string;
    at: Readonly<{ pattern: string; timeZone: string }> | null;
  }>;
}[JobName];

export type QueueCounts = Readonly<{
  waiting: number;
  active: number;
  delayed: number;
  failed: number;
  completed: number;
}>;

export type Queues = Readonly<{
  /** Resolves once every entry is in its queue. Rejects with `queue_unavailable`, within 150 ms on Redis. */
  enqueue: (entries: readonly JobEntry[]) => Promise<void>;
  /**
   * Removes waiting and delayed jobs; returns the ids removed. A job that a worker holds stays, even after its lock
   * has expired. Check and removal are one atomic step in the backend.
   *
   * To drop a job whose fate the ledger decides: commit the drop, then remove. A producer may still add that job
   * after the removal, so after `enqueue` it reads the ledger row again and calls `remove` again if the row is
   * dropped. A worker that gets a dropped row finishes it as a no-op.
   */
  remove: (name: JobName, jobIds: readonly string[]) => Promise<readonly string[]>;
  /** The ids that are in no live state. Finished jobs among them are deleted, so that they can be added again. */
  missing: (name: JobName, jobIds: readonly string[]) => Promise<readonly string[]>;
  counts: () => Promise<Readonly<Record<QueueName, QueueCounts>>>;
  /** Age of the oldest job that waits to be taken, 0 when none waits. */
  oldestWaitingAgeMs: (queue: QueueName) => Promise<number>;
  /** No worker of the queue, in any process, takes a job for `ms`. The longer of two pauses wins. */
  pause: (queue: QueueName, ms: number) => Promise<void>;
  /** Ends a pause early. */
  resume: (queue: QueueName) => Promise<void>;
  /** Milliseconds until a paused queue continues, 0 when it is not paused. */
  pausedMs: (queue: QueueName) => Promise<number>;
  /**
   * Sets a schedule; idempotent. A flush of the backend deletes it. The scheduled time is a hint: the ledger
   * decides what must happen once per period.
   */
  schedule: (entry: ScheduledJob) => Promise<void>;
  /** BullMQ's own objects, for Bull Board only. */
  bullQueues: () => readonly Queue[];
  /** Rejects with `queue_unavailable` when the backend does not answer. */
  ping: () => Promise<void>;
  close: () => Promise<void>;
}>;

/**
 * How a job ended. `done`: finished, with counts only, because the queue keeps and shows them. `delay`: run again
 * after `ms`. `pause`: put back to the front, and the whole queue pauses for `ms`. `fail`: ended, with a code
 * (lower case, digits and `_`), because the queue keeps and shows the reason.
 */
export type JobOutcome =
  | Readonly<{ kind: 'done'; counts?: Readonly<Record<string, number>> }>
  | Readonly<{ kind: 'delay'; ms: number }>
  | Readonly<{ kind: 'pause'; ms: number }>
  | Readonly<{ kind: 'fail'; reason: string }>;

/** The kinds of outcome, as labels of metrics. */
export const JOB_OUTCOMES: readonly JobOutcome['kind'][] = ['done', 'delay', 'pause', 'fail'];

export type JobContext = Readonly<{
  /** Aborted when the job's lock is lost, its time limit is over, or the worker's grace to close has ended. */
  signal: AbortSignal;
  jobId: string;
  /** How often any worker has started this job, this run included. Delays and pauses count too. */
  attemptStarted: number;
}>;

/** A job of the catalogue with its parsed payload, to be told apart by `name`. */
export type Job<Q extends QueueName = QueueName> = Extract<AnyJob, { name: JobNameOn<Q> }>;

type AnyJob = { [N in JobName]: Readonly<{ name: N; data: JobData<N> }> }[JobName];

export type JobHandler<Q extends QueueName = QueueName> = (
  job: Job<Q>,
  context: JobContext,
) => Promise<JobOutcome>;

export type QueuesDeps = Readonly<{
  logger: QueueLogger;
  clock: Clock;
  /** How long a caller waits until its entries are accepted. Default: what a request can spend on the queue. */
  deadlineMs?: number;
}>;

export type WorkerDeps<Q extends QueueName = QueueName> = Readonly<{
  queue: Q;
  /** Jobs at a time. */
  concurrency: number;
  handler: JobHandler<Q>;
  logger: QueueLogger;
  clock: Clock;
  /** Uniform in [0, 1), for jitter. */
  random: () => number;
}>;

export type WorkerProgress = Readonly<{
  /** When the worker last took or ended a job; initially when it started. */
  lastProgressAt: number;
  running: number;
  freeSlots: number;
  /** Until when the queue is paused, as far as this worker knows; 0 when it is not. */
  pausedUntil: number;
}>;

export type StuckQuestion = Readonly<{ now: number; oldestWaitingAgeMs: number; thresholdMs: number }>;

export type QueueWorker = Readonly<{
  progress: () => WorkerProgress;
  /** Whether a job waits that this worker should have taken. A mere backlog does not count. */
  isStuck: (question: StuckQuestion) => boolean;
  /** Stops taking jobs, gives the running ones `graceMs`, aborts the rest and hands them back. Never hangs. */
  close: (options: Readonly<{ graceMs: number }>) => Promise<void>;
}>;
