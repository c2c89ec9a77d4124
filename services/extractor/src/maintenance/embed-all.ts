import type { JobData } from '@factmill/contracts';
import type { JobOutcome } from '@factmill/queue';

export type EmbedAllDeps = Readonly<{
  embedPending: (job: JobData<'embed'>, signal: AbortSignal) => Promise<JobOutcome>;
  /** Makes stored turns searchable; their vectors come later. */
  indexTurns: (signal: AbortSignal) => Promise<unknown>;
  embedChunks: (signal: AbortSignal) => Promise<JobOutcome>;
  embedTurns: (signal: AbortSignal) => Promise<JobOutcome>;
  /** Builds the vectors of a newly configured model. */
  build: (signal: AbortSignal) => Promise<JobOutcome>;
}>;

/**
 * The `embed` job: turns become searchable, then vectors follow: of memories before documents, of turns after both, and
 * those of another model last. No more vectors when the model is away; nothing else when it is about certain memories
 * only.
 */
export function createEmbedAll(deps: EmbedAllDeps) {
  return async (job: JobData<'embed'>, signal: AbortSignal): Promise<JobOutcome> => {
    if (job.memoryIds === undefined) await deps.indexTurns(signal);
    const outcome = await deps.embedPending(job, signal);
    if (isOver(outcome) || job.memoryIds !== undefined) return outcome;
    const ofChunks = await deps.embedChunks(signal);
    if (isOver(ofChunks)) return ofChunks;
    const ofTurns = await deps.embedTurns(signal);
    return ofTurns.kind === 'done' ? deps.build(signal) : ofTurns;
  };
}

function isOver(outcome: JobOutcome): boolean {
  return outcome.kind !== 'done' || outcome.counts?.['unavailable'] !== undefined;
}
