import type { JobEntry } from './types.ts';

/** An extraction as the queue sees it. `generation` grows with each replay. */
export type QueuedExtraction = Readonly<{ id: string; tenantId: string; generation: number }>;

/**
 * The queue's id of one generation of an extraction. The gateway and the sweeper compute the same id, so that the
 * queue ignores a second add while the first job lives.
 */
export function extractJobId(extraction: Pick<QueuedExtraction, 'id' | 'generation'>): string {
  return `${extraction.id}_${extraction.generation}`;
}

/** The queue's entry for an extraction. */
export function extractJob(extraction: QueuedExtraction): JobEntry {
  return {
    name: 'extract',
    data: { extractionId: extraction.id, tenantId: extraction.tenantId },
    jobId: extractJobId(extraction),
  };
}
