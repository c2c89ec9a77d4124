import {
  assertFence,
  type Claim,
  type DatabasePool,
  type ExtractionOutcome,
  finishExtraction,
  saveEmbeddings,
} from '@factmill/database';
import type { Candidate, Rejection } from '@factmill/extraction';
import { writeMemories } from '@factmill/memories';
import { withSpan } from '@factmill/telemetry';
import type { Vectors } from './embed-candidates.ts';

export type Application = Readonly<{
  claim: Claim;
  candidates: readonly Candidate[];
  rejected: readonly Rejection[];
  vectors: Vectors | null;
  wantsEmbedding: boolean;
  embedMs: number | null;
  degraded: string | null;
}>;

export type Applied = Readonly<{
  counts: Pick<ExtractionOutcome, 'added' | 'updated' | 'deleted' | 'unchanged' | 'rejected'>;
  /** Memories that still lack their vector. */
  withoutVector: readonly string[];
}>;

/**
 * Writes what an answer says: memories, their versions and vectors, the conversation's mark and the ledger's
 * `done`, all in one transaction that starts by checking the fence. A redelivered job or a worker that wakes up
 * late writes nothing (G2, G4).
 *
 * @throws AppError `fenced`, `database_unavailable`
 */
export function createApplyAnswer(deps: {
  database: DatabasePool;
  newId: () => string;
  /** Milliseconds of a clock that only goes forward. */
  now: () => number;
  date: () => Date;
}) {
  return function applyAnswer(application: Application): Promise<Applied> {
    const { claim } = application;
    const startedAt = deps.now();
    return withSpan('apply', { attributes: { candidates: application.candidates.length } }, () =>
      deps.database.transaction(async (tx) => {
        await assertFence(tx, claim);
        const written = await writeMemories(tx, {
          tenantId: claim.tenantId,
          userId: claim.userId,
          memories: application.candidates.map((candidate) => ({ candidate })),
          actor: { actor: 'extraction', extractionId: claim.id },
          wantsEmbedding: application.wantsEmbedding,
          newId: deps.newId,
          now: deps.date(),
        });
        const pending = written.flatMap(({ id, pendingContent }) =>
          id === null || pendingContent === null ? [] : [{ memoryId: id, content: pendingContent }],
        );
        const { vectors } = application;
        const embeddings = pending.flatMap((memory) => {
          const vector = vectors?.byText.get(memory.content);
          return vector === undefined ? [] : [{ ...memory, vector }];
        });
        if (vectors !== null) await saveEmbeddings(tx, vectors.model, embeddings);
        const counts = {
          added: written.filter((memory) => memory.status === 'created').length,
          updated: written.filter((memory) => memory.status === 'updated').length,
          deleted: 0,
          unchanged: written.filter((memory) => memory.status === 'unchanged').length,
          rejected: application.rejected.reduce((sum, rejection) => sum + rejection.count, 0),
        };
        await finishExtraction(tx, claim, {
          ...counts,
          memoryIds: [...new Set(written.flatMap((memory) => memory.id ?? []))],
          degraded: application.degraded,
          embedMs: application.embedMs,
          applyMs: deps.now() - startedAt,
        });
        const done = new Set(embeddings.map((embedding) => embedding.memoryId));
        return {
          counts,
          withoutVector: pending
            .filter((memory) => !done.has(memory.memoryId))
            .map((memory) => memory.memoryId),
        };
      }),
    );
  };
}
