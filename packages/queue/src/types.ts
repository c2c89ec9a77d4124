import type { JobData, JobName, JobNameOn, QueueName } from '@factmill/contracts';
import type { Queue } from 'bullmq';

/** Redis holds the queue. Every key begins with `keyPrefix`, so that several installations can share a server. */
export type RedisQueueConfig = Readonly<{ backend: 'redis'; url: string; keyPrefix: string }>;

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

/** One job to add. `jobId` holds no `:` and is not all digits; a job with the same id that is still kept wins. */
export type JobEntry = {
  [N in JobName]: Readonly<{ name: N; data: JobData<N>; jobId: string }>;
}[JobName];

/** A job that comes again by a clock: `pattern` is a cron pattern of five fields in `timeZone`; null: never. */
export type ScheduledJob = {
  [N in JobName]: Readonly<{
    name: N;
    data: JobData<N>;
    /** One schedule has one id, whatever its times; it holds no `:`. */
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
   * Takes waiting and delayed jobs out and returns the ids it removed. A job that a worker holds stays, even when
   * its lock has run out; check and removal are one atomic step in the backend.
   *
   * Recipe for dropping a job whose fate the ledger decides: commit the drop, then remove. A producer that was
   * about to add that job can still do so after the removal, so it re-reads the ledger row after `enqueue` and
   * calls `remove` again if the row is dropped; and a worker that is given a dropped row finishes it as a no-op.
   */
  remove: (name: JobName, jobIds: readonly string[]) => Promise<readonly string[]>;
  /** The ids that are in no live state; what is left of finished ones is deleted, so they can be added again. */
  missing: (name: JobName, jobIds: readonly string[]) => Promise<readonly string[]>;
  counts: () => Promise<Readonly<Record<QueueName, QueueCounts>>>;
  /** Age of the oldest job that waits to be taken, 0 when none waits. */
  oldestWaitingAgeMs: (queue: QueueName) => Promise<number>;
  /** No worker of the queue, in any process, takes a job for `ms`. The longer of two pauses wins. */
  pause: (queue: QueueName, ms: number) => Promise<void>;
  /** Ends a pause early. */
  resume: (queue: QueueName) => Promise<void>;
  /** Milliseconds until a paused queue goes on, 0 when it is not paused. */
  pausedMs: (queue: QueueName) => Promise<number>;
  /**
   * Makes a schedule be as given, however often it is called; a flush of the backend takes it away. The scheduled time
   * is a hint: what has to happen once per period is decided elsewhere.
   */
  schedule: (entry: ScheduledJob) => Promise<void>;
  /** BullMQ's own objects, for Bull Board only. */
  bullQueues: () => readonly Queue[];
  /** Rejects with `queue_unavailable` when the backend does not answer. */
  ping: () => Promise<void>;
  close: () => Promise<void>;
}>;

/**
 * How a job ended. `done`: finished, with counts only, since they are kept and shown. `delay`: to be taken again
 * after `ms`. `pause`: put back at once to be taken first, and the whole queue rests for `ms`. `fail`: over, with
 * a code (lower case, digits and `_`), since the reason is kept and shown.
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
  /** How long a caller waits for its entries to be taken. Default: what a request can spare for the backend. */
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
  /** When the worker last took or ended a job; its start, before the first. */
  lastProgressAt: number;
  running: number;
  freeSlots: number;
  /** Until when the queue rests, as far as this worker knows; 0 when it does not. */
  pausedUntil: number;
}>;

export type StuckQuestion = Readonly<{ now: number; oldestWaitingAgeMs: number; thresholdMs: number }>;

export type QueueWorker = Readonly<{
  progress: () => WorkerProgress;
  /** Whether work waits that this worker should have taken and did not. A mere backlog is not being stuck. */
  isStuck: (question: StuckQuestion) => boolean;
  /** Takes no more jobs at once, gives the running ones `graceMs`, aborts the rest and hands them back. Never hangs. */
  close: (options: Readonly<{ graceMs: number }>) => Promise<void>;
}>;
