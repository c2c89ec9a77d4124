import type { JobEntry } from './types.ts';

/** A compression run as the queue sees it. `generation` grows when a failed run is started again. */
export type QueuedCompression = Readonly<{ id: string; tenantId: string; generation: number }>;

/** The queue's id of one generation of a run; see extractJobId. */
export function compressJobId(run: Pick<QueuedCompression, 'id' | 'generation'>): string {
  return `${run.id}_${run.generation}`;
}

/** The queue's entry for a run. */
export function compressJob(run: QueuedCompression): JobEntry {
  return { name: 'compress', data: { runId: run.id, tenantId: run.tenantId }, jobId: compressJobId(run) };
}
