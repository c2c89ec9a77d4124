import {
  giveUpChunks,
  type PendingChunk,
  releaseChunks,
  saveChunkEmbeddings,
  type Sql,
  takePendingChunks,
} from '@factmill/database';
import { isAppError } from '@factmill/errors';
import type { JobOutcome } from '@factmill/queue';
import type { Logger } from '@factmill/telemetry';
import type { EmbedTexts } from '../providers/embed-texts.ts';

const BATCH = 32;
/** A run ends after this long and goes on as a new one, so that the vectors of memories need not wait for a book. */
const RUN_MS = 5_000;
const REST_MS = 50;

export type EmbedChunksDeps = Readonly<{
  database: Sql;
  /** Null when no embedding model is configured. */
  embedTexts: EmbedTexts | null;
  logger: Logger;
  /** Milliseconds. */
  now: () => number;
}>;

/**
 * The part of the `embed` job that computes the vectors of documents' chunks: takes those that wait, a page at a time
 * and for a few seconds, then asks to be run again. One run at a time in a process; those of several processes take
 * different chunks. When the model is away it ends, and the sweeper asks again.
 */
export function createEmbedChunks(deps: EmbedChunksDeps) {
  let running = false;

  return async function embedChunks(signal: AbortSignal): Promise<JobOutcome> {
    const { embedTexts } = deps;
    if (embedTexts === null || running) return { kind: 'done', counts: { chunks: 0 } };
    running = true;
    try {
      return await run(embedTexts, signal);
    } finally {
      running = false;
    }
  };

  async function run(embedTexts: EmbedTexts, signal: AbortSignal): Promise<JobOutcome> {
    const endAt = deps.now() + RUN_MS;
    let chunks = 0;
    for (;;) {
      signal.throwIfAborted();
      const taken = await takePendingChunks(deps.database, BATCH);
      if (taken.length === 0) return { kind: 'done', counts: { chunks } };
      try {
        await embedOrSplit(embedTexts, taken, signal);
      } catch (error) {
        // Those that cannot be given back are free again when their lease is over.
        await releaseChunks(
          deps.database,
          taken.map((chunk) => chunk.id),
        ).catch(() => undefined);
        if (signal.aborted || !isAppError(error)) throw error;
        deps.logger.warn({ code: error.code, chunks }, 'vectors of documents are still missing');
        return { kind: 'done', counts: { chunks, unavailable: 1 } };
      }
      chunks += taken.length;
      if (deps.now() >= endAt) return { kind: 'delay', ms: REST_MS };
    }
  }

  /** One chunk that the model refuses must not keep all others waiting: it is found, and given up alone. */
  async function embedOrSplit(
    embedTexts: EmbedTexts,
    chunks: readonly PendingChunk[],
    signal: AbortSignal,
  ): Promise<void> {
    try {
      const textOf = (chunk: PendingChunk) => chunk.content.replaceAll(/\s+/g, ' ').trim();
      const vectors = await embedTexts(chunks.map(textOf), signal);
      await saveChunkEmbeddings(
        deps.database,
        vectors.model,
        chunks.map((chunk) => ({ chunkId: chunk.id, vector: vectors.byText.get(textOf(chunk)) ?? [] })),
      );
    } catch (error) {
      if (!isAppError(error) || error.code !== 'model_input') throw error;
      const [first] = chunks;
      if (first === undefined) return;
      if (chunks.length === 1) {
        deps.logger.warn({ chunk_id: first.id }, 'the embedding model refuses a part of a document');
        await giveUpChunks(deps.database, [first.id]);
        return;
      }
      const middle = Math.ceil(chunks.length / 2);
      await embedOrSplit(embedTexts, chunks.slice(0, middle), signal);
      await embedOrSplit(embedTexts, chunks.slice(middle), signal);
    }
  }
}
