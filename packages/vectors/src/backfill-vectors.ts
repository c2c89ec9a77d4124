import {
  FIRST_ID,
  listMissingVectors,
  saveChunkEmbeddings,
  saveEmbeddings,
  type Sql,
  type VectorStage,
} from '@factmill/database';
import type { Embedder } from '@factmill/models';
import { embedMissing } from './embed-missing.ts';

export type BackfillDeps = Readonly<{
  database: Sql;
  embedder: Embedder;
  /** Model of the embedder; already registered. */
  model: string;
  /** Called between two batches. */
  pause: (signal: AbortSignal) => Promise<void>;
  onProgress: (progress: Readonly<{ stored: number; refused: number }>) => void;
}>;

/**
 * Computes the missing vectors of current memories and chunks, in id order (C14). Safe to repeat: texts with a
 * fresh vector are skipped. Resolves to the number stored; rejects with errors of the embedder and the database.
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
      const page = await listMissingVectors(database, target, stage, { after, limit: options.batchSize });
      after = page.next;
      if (page.missing.length === 0) continue;
      if (counts.stored + counts.refused > 0) await deps.pause(signal);
      const { vectors, refused } = await embedMissing(deps, stage, page.missing, signal);
      if (stage === 'memories') {
        await saveEmbeddings(
          database,
          model,
          vectors.map(({ tenantId, id, content, vector }) => ({ tenantId, memoryId: id, content, vector })),
        );
      } else {
        await saveChunkEmbeddings(database, model, vectors);
      }
      counts.stored += vectors.length;
      counts.refused += refused;
      deps.onProgress(counts);
    }
  }
  return counts;
}
