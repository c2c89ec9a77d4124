import {
  giveUpEmbeddings,
  listPendingEmbeddings,
  type PendingEmbedding,
  saveEmbeddings,
  type Sql,
} from '@factmill/database';
import { isAppError } from '@factmill/errors';
import type { JobOutcome } from '@factmill/queue';
import type { Logger } from '@factmill/telemetry';
import type { EmbedTexts } from '../providers/embed-texts.ts';

const BATCH = 64;

export type EmbedPendingDeps = Readonly<{
  database: Sql;
  /** Null when no embedding model is configured. */
  embedTexts: EmbedTexts | null;
  logger: Logger;
}>;

/**
 * The `embed` job: computes the vectors that memories lack, all of them or those named (C13). When the model is away
 * the job ends, and the sweeper asks again as long as a vector is missing; so there is one call to an endpoint that
 * is down in a while, however many jobs asked for vectors. Meanwhile the memories are found by text.
 */
export function createEmbedPending(deps: EmbedPendingDeps) {
  return async function embedPending(
    job: { memoryIds?: readonly string[] | undefined },
    signal: AbortSignal,
  ): Promise<JobOutcome> {
    const { embedTexts } = deps;
    if (embedTexts === null) return { kind: 'done', counts: { embedded: 0 } };
    let embedded = 0;
    try {
      for (;;) {
        signal.throwIfAborted();
        const pending = await listPendingEmbeddings(deps.database, {
          ids: job.memoryIds ?? null,
          limit: BATCH,
        });
        if (pending.length === 0) break;
        const settled = await embedOrSplit(embedTexts, pending, signal);
        embedded += settled;
        // All of a page was edited meanwhile: leave it to the next job rather than spin.
        if (settled === 0) break;
      }
      return { kind: 'done', counts: { embedded } };
    } catch (error) {
      if (signal.aborted || !isAppError(error)) throw error;
      const known = error.code === 'embedding_unavailable' || error.code === 'embedding_mismatch';
      deps.logger[known ? 'debug' : 'warn']({ code: error.code, embedded }, 'vectors are still missing');
      return { kind: 'done', counts: { embedded, unavailable: 1 } };
    }
  };

  /** One text that the model refuses must not keep all others waiting: it is found, and given up alone. */
  async function embedOrSplit(
    embedTexts: EmbedTexts,
    pending: readonly PendingEmbedding[],
    signal: AbortSignal,
  ): Promise<number> {
    try {
      const vectors = await embedTexts(
        pending.map((memory) => memory.content),
        signal,
        { owners: pending },
      );
      return await saveEmbeddings(
        deps.database,
        vectors.model,
        pending.map((memory) => ({
          tenantId: memory.tenantId,
          memoryId: memory.id,
          content: memory.content,
          vector: vectors.byText.get(memory.content) ?? [],
        })),
      );
    } catch (error) {
      if (!isAppError(error) || error.code !== 'model_input') throw error;
      const [first] = pending;
      if (first !== undefined && pending.length === 1) {
        deps.logger.warn(
          { memory_id: first.id },
          'the embedding model refuses a memory; it is found by text only',
        );
        await giveUpEmbeddings(deps.database, [first]);
        return 1;
      }
      const middle = Math.ceil(pending.length / 2);
      return (
        (await embedOrSplit(embedTexts, pending.slice(0, middle), signal)) +
        (await embedOrSplit(embedTexts, pending.slice(middle), signal))
      );
    }
  }
}
