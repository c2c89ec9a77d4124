import type { JobData } from '@factmill/contracts';
import type { JobEntry } from './types.ts';

/** The queue's entry for an erasure. There is one at a time, however often it is asked for. */
export function eraseJob(erasure: JobData<'erase'>): JobEntry {
  return { name: 'erase', data: erasure, jobId: `erase-${erasure.erasureId}` };
}
