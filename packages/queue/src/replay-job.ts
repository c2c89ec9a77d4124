import type { JobEntry } from './types.ts';

/** The queue's entry for a run of a shadow replay. */
export function replayJob(run: Readonly<{ id: string; tenantId: string }>): JobEntry {
  return { name: 'replay', data: { runId: run.id, tenantId: run.tenantId }, jobId: run.id };
}
