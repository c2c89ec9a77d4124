import type { JobEntry } from './types.ts';

/** What the queue has to know of a compression run. `generation` grows when a failed one is started again. */
export type QueuedCompression = Readonly<{ id: string; tenantId: string; generation: number }>;

/** The queue's id of one generation of a run; see extractJobId. */
export function compressJobId(run: Pick<QueuedCompression, 'id' | 'generation'>): string {
  return `${run.id}_${run.generation}`;
}

/** The queue's entry for a run. */
export function compressJob(run: QueuedCompression): JobEntry {
  return { name: 'compress', data: { runId: run.id, tenantId: run.tenantId }, jobId: compressJobId(run) };
}
