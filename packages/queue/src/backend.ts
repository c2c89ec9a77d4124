import type { QueueName } from '@factmill/contracts';
import type { Job, Processor, Queue, Worker } from 'bullmq';

/** What became of the job ids that were asked for, in one queue. */
export type JobStore = Readonly<{
  /** Takes waiting and delayed jobs out, each atomically, and returns the ids removed. */
  removeWaiting: (queue: QueueName, jobIds: readonly string[]) => Promise<string[]>;
  /** Deletes what is left of finished jobs and returns the ids that are in no live state. */
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
  /** False while adding could only fail: asked first, so that nothing waits for a timeout that must come. */
  isReachable: () => boolean;
  /** How long an answer may take. */
  deadlineMs: number;
  close: () => Promise<void>;
}>;

/** The taking side of a backend: one worker and its connections. */
export type ConsumerBackend = Readonly<{
  worker: Worker;
  /**
   * Puts an active job back so that it is taken first, burning no attempt. The processor must throw the returned
   * error, which tells BullMQ that the job is no longer the worker's.
   */
  putBack: (job: Job, token: string) => Promise<Error>;
  /** How often a worker that runs nothing looks whether its queue is paused, and whether its connection answers. */
  idleIntervalMs: number;
  /** Replaces a connection that is open but gives no answers; what is under way on it is sent again. */
  reconnect: () => void;
  /** Cuts all connections, whatever is still under way on them. */
  disconnect: () => Promise<void>;
}>;

export type ConsumerOptions = Readonly<{
  queue: QueueName;
  concurrency: number;
  processor: Processor;
  onError: (error: unknown) => void;
}>;
