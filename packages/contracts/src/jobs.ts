import { z } from 'zod';

/** Every queue. Bull Board, metrics and health list them in this order. */
export const QUEUE_NAMES = ['extraction', 'compression', 'maintenance'] as const;

export type QueueName = (typeof QUEUE_NAMES)[number];

/**
 * The catalogue of jobs: name → queue, payload, time limit.
 *
 * Payloads carry ids only, never text. During a rolling deploy old and new processes share the queues, so a
 * payload changes in one way only: a later field is optional. An unknown field is ignored for the same reason,
 * and a job is never renamed.
 *
 * `timeoutMs` bounds one run of the handler: its signal is aborted then and the job is tried again later. It is
 * above the longest honest run (for `extract`, a slow model plus one repair attempt).
 */
export const JOBS = {
  /** Take one accepted extraction from the ledger to its memories. */
  extract: {
    queue: 'extraction',
    payload: z.object({ extractionId: z.uuid(), tenantId: z.uuid() }),
    timeoutMs: 900_000,
  },
  /** Compute the vectors that memories lack; without `memoryIds`, those of the whole tenant. */
  embed: {
    queue: 'maintenance',
    payload: z.object({ tenantId: z.uuid(), memoryIds: z.array(z.uuid()).max(1_000).optional() }),
    timeoutMs: 600_000,
  },
  /** Passes through the queue and does nothing: proof that the workers make progress. */
  heartbeat: { queue: 'maintenance', payload: z.object({}), timeoutMs: 10_000 },
  /** Take one compression run from the ledger to its end. A weekly run may ask the model many times. */
  compress: {
    queue: 'compression',
    payload: z.object({ runId: z.uuid(), tenantId: z.uuid() }),
    timeoutMs: 3_600_000,
  },
  /** Take one run of a shadow replay to its end. It shares the slots of compressions: neither is urgent. */
  replay: {
    queue: 'compression',
    payload: z.object({ runId: z.uuid(), tenantId: z.uuid() }),
    timeoutMs: 900_000,
  },
  /** Find the users that have work in a due compression period, and create a run for each. */
  'compress-due': { queue: 'maintenance', payload: z.object({}), timeoutMs: 300_000 },
  /** Delete everything of a user, for a receipt. */
  erase: {
    queue: 'maintenance',
    payload: z.object({ tenantId: z.uuid(), erasureId: z.uuid() }),
    timeoutMs: 600_000,
  },
  /** Delete what has expired. */
  purge: { queue: 'maintenance', payload: z.object({}), timeoutMs: 300_000 },
} as const satisfies Record<string, { queue: QueueName; payload: z.ZodType; timeoutMs: number }>;

export type JobName = keyof typeof JOBS;

/** The payload of one job. */
export type JobData<N extends JobName = JobName> = z.infer<(typeof JOBS)[N]['payload']>;

/** The names of the jobs that travel on one queue. */
export type JobNameOn<Q extends QueueName> = {
  [N in JobName]: (typeof JOBS)[N]['queue'] extends Q ? N : never;
}[JobName];

export const JOB_NAMES: readonly JobName[] = Object.keys(JOBS) as JobName[];

/** Whether a string names a job of the catalogue. */
export function isJobName(name: string): name is JobName {
  return Object.hasOwn(JOBS, name);
}
