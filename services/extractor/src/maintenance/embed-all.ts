import type { JobData } from '@factmill/contracts';
import type { JobOutcome } from '@factmill/queue';

export type EmbedAllDeps = Readonly<{
  embedPending: (job: JobData<'embed'>, signal: AbortSignal) => Promise<JobOutcome>;
  embedChunks: (signal: AbortSignal) => Promise<JobOutcome>;
  /** Builds the vectors of a newly configured model. */
  build: (signal: AbortSignal) => Promise<JobOutcome>;
}>;

/**
 * The `embed` job: memories before documents, and those before the vectors of another model; nothing more when the
 * model is away, or when it is about certain memories only.
 */
export function createEmbedAll({ embedPending, embedChunks, build }: EmbedAllDeps) {
  return async (job: JobData<'embed'>, signal: AbortSignal): Promise<JobOutcome> => {
    const outcome = await embedPending(job, signal);
    const isOver = outcome.kind !== 'done' || outcome.counts?.['unavailable'] !== undefined;
    if (isOver || job.memoryIds !== undefined) return outcome;
    const ofChunks = await embedChunks(signal);
    return ofChunks.kind === 'done' ? build(signal) : ofChunks;
  };
}
