export { retryDelayMs } from './backoff.ts';
export type { RetryPolicy } from './backoff.ts';
export { compressJob, compressJobId } from './compress-job.ts';
export { embedJob } from './embed-job.ts';
export { createEnqueueAccepted } from './enqueue-accepted.ts';
export { eraseJob } from './erase-job.ts';
export { extractJob, extractJobId } from './extract-job.ts';
export type { QueuedExtraction } from './extract-job.ts';
export { heartbeatJobId } from './heartbeat.ts';
export { queueConfigOf } from './queue-config-of.ts';
export { createFindDropped, createQueueLimits } from './queue-limits.ts';
export { createQueues } from './queues.ts';
export { replayJob } from './replay-job.ts';
export { assertRedisReady } from './redis-ready.ts';
export { JOB_OUTCOMES } from './types.ts';
export type {
  JobContext,
  JobEntry,
  JobHandler,
  Job,
  JobOutcome,
  PostgresQueueConfig,
  QueueConfig,
  QueueLogger,
  Queues,
  QueueWorker,
  RedisQueueConfig,
  ScheduledJob,
} from './types.ts';
export { createWorker } from './worker.ts';
