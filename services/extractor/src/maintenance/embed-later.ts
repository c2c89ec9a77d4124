import { embedJob, type Queues } from '@factmill/queue';

/** Requests a job that embeds these memories. Never rejects. */
export type EmbedLater = (tenantId: string, memoryIds: readonly string[]) => Promise<void>;

/** Memories per job; the sweeper requests the others. */
const MAX_NAMED = 1_000;

export function createEmbedLater(deps: { queues: Pick<Queues, 'enqueue'>; newId: () => string }): EmbedLater {
  return async (tenantId, memoryIds) => {
    const data = { tenantId, memoryIds: memoryIds.slice(0, MAX_NAMED) };
    try {
      await deps.queues.enqueue([embedJob(data, deps.newId())]);
    } catch {
      // The sweeper requests missing vectors.
    }
  };
}
