import type { QueueName } from '@factmill/contracts';
import type { Job, Processor, Queue, Worker } from 'bullmq';

/** Looks up and removes jobs of one queue by id. */
export type JobStore = Readonly<{
  /** Removes waiting and delayed jobs, each atomically; returns the ids removed. */
  removeWaiting: (queue: QueueName, jobIds: readonly string[]) => Promise<string[]>;
  /** Deletes finished jobs among these, and returns the ids that are in no live state. */
  forgetFinished: (queue: QueueName, jobIds: readonly string[]) => Promise<string[]>;
  /** When the next job to be taken was added, in ms since the epoch; null when none waits. */
  oldestWaitingAt: (queue: QueueName) => Promise<number | null>;
  /** Rejects when the backend does not answer. */
  ping: () => Promise<void>;
}>;

/** The adding side of a backend. */
export type ProducerBackend = Readonly<{
  queues: Readonly<Record<QueueName, Queue>>;
  store: JobStore;
  /** False while adding can only fail. Callers ask this first instead of waiting for a timeout. */
  isReachable: () => boolean;
  /** How long an answer may take. */
  deadlineMs: number;
  close: () => Promise<void>;
}>;

/** The taking side of a backend: one worker and its connections. */
export type ConsumerBackend = Readonly<{
  worker: Worker;
  /**
   * Puts an active job back to the front of the queue without counting an attempt. The processor must throw the
   * returned error, which tells BullMQ that the worker no longer holds the job.
   */
  putBack: (job: Job, token: string) => Promise<Error>;
  /** How often an idle worker checks whether its queue is paused and its connection alive. */
  idleIntervalMs: number;
  /** Replaces a connection that is open but silent; calls under way on it are sent again. */
  reconnect: () => void;
  /** Cuts all connections, with whatever is under way on them. */
  disconnect: () => Promise<void>;
}>;

export type ConsumerOptions = Readonly<{
  queue: QueueName;
  concurrency: number;
  processor: Processor;
  /** Whether the worker has run nothing for a while. */
  isIdle: () => boolean;
  onError: (error: unknown) => void;
}>;
