import type { JobData } from '@factmill/contracts';
import type { JobEntry } from './types.ts';

/** The queue's entry for computing vectors. `id` is a new one, because every request is a job of its own. */
export function embedJob(data: JobData<'embed'>, id: string): JobEntry {
  return { name: 'embed', data, jobId: `embed-${id}` };
}
