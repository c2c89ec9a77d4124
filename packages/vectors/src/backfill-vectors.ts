import {
  FIRST_ID,
  listLackingVectors,
  saveChunkEmbeddings,
  saveEmbeddings,
  type Sql,
  type VectorStage,
} from '@factmill/database';
import type { Embedder } from '@factmill/models';
import { embedLacking } from './embed-lacking.ts';

export type BackfillDeps = Readonly<{
  database: Sql;
  embedder: Embedder;
  /** Of the embedder; registered. */
  model: string;
  /** Between two batches. */
  pause: (signal: AbortSignal) => Promise<void>;
  onProgress: (progress: Readonly<{ stored: number; refused: number }>) => void;
}>;

/**
 * Fills the vectors that current memories and chunks lack, and no others, in id order (C14). May be run any number of
 * times: what has a vector of its text is not looked at again. Resolves to how many were stored; rejects with what
 * the embedder and the database throw.
 */
export async function backfillVectors(
  deps: BackfillDeps,
  options: Readonly<{ tenantId: string | null; batchSize: number }>,
  signal: AbortSignal,
): Promise<{ stored: number; refused: number }> {
  const { database, model } = deps;
  const target = { model, likeModel: null, tenantId: options.tenantId };
  const counts = { stored: 0, refused: 0 };
  for (const stage of ['memories', 'chunks'] as const satisfies readonly VectorStage[]) {
    let after: string | null = FIRST_ID;
    while (after !== null) {
      signal.throwIfAborted();
      const page = await listLackingVectors(database, target, stage, { after, limit: options.batchSize });
      after = page.next;
      if (page.lacking.length === 0) continue;
      if (counts.stored + counts.refused > 0) await deps.pause(signal);
      const { vectors, refused } = await embedLacking(deps, stage, page.lacking, signal);
      if (stage === 'memories') {
        await saveEmbeddings(
          database,
          model,
          vectors.map(({ id, content, vector }) => ({ memoryId: id, content, vector })),
        );
      } else {
        await saveChunkEmbeddings(
          database,
          model,
          vectors.map(({ id, vector }) => ({ chunkId: id, vector })),
        );
      }
      counts.stored += vectors.length;
      counts.refused += refused;
      deps.onProgress(counts);
    }
  }
  return counts;
}
