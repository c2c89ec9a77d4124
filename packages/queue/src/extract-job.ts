import type { JobEntry } from './types.ts';

/** What the queue has to know of a ledger row. `generation` grows with each replay. */
export type QueuedExtraction = Readonly<{ id: string; tenantId: string; generation: number }>;

/**
 * The queue's id of one generation of an extraction. Whoever adds it, the gateway or a sweeper, gives the same id,
 * so that a second add is ignored while the first still lives.
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
