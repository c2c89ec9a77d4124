import {
  type AfterApply,
  afterApply,
  applyNewMemories,
  assertFence,
  type Claim,
  type DatabasePool,
  type Ended,
  type ExtractionOutcome,
  finishExtraction,
  isRetryableConflict,
  type NewEmbedding,
  saveEmbeddings,
} from '@factmill/database';
import type { Candidate, Rejection } from '@factmill/extraction';
import { planWrites, writeMemories, type WriteRequest, type Written } from '@factmill/memories';
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
  /** What follows in the same transaction; null for nothing. */
  after: AfterApply | null;
}>;

type Counts = Pick<ExtractionOutcome, 'added' | 'updated' | 'deleted' | 'unchanged' | 'rejected'>;

export type Applied = Ended &
  Readonly<{
    counts: Counts;
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
export function createApplyAnswer(deps: { database: DatabasePool; newId: () => string; date: () => Date }) {
  return function applyAnswer(application: Application): Promise<Applied> {
    const request: WriteRequest = {
      tenantId: application.claim.tenantId,
      userId: application.claim.userId,
      memories: application.candidates.map((candidate) => ({ candidate })),
      actor: { actor: 'extraction', extractionId: application.claim.id },
      wantsEmbedding: application.wantsEmbedding,
      newId: deps.newId,
      now: deps.date(),
    };
    return withSpan(
      'apply',
      { attributes: { candidates: application.candidates.length } },
      async () => (await applyAsNew(application, request)) ?? applyCompared(application, request),
    );
  };

  /** Most of what people say is new. One statement stores it, unless it finds that something matches: null. */
  async function applyAsNew(application: Application, request: WriteRequest): Promise<Applied | null> {
    const { claim, vectors } = application;
    const plan = planWrites(request, []);
    const written = plan.toWritten(plan.added.map((memory) => memory.id));
    const { embeddings, withoutVector } = matchVectors(written, vectors);
    const embedded = new Set(embeddings.map((embedding) => embedding.memoryId));
    const counts = countChanges(application, written);
    try {
      const applied = await applyNewMemories(deps.database, claim, {
        memories: plan.added.map((memory) =>
          embedded.has(memory.id) ? { ...memory, wantsEmbedding: false } : memory,
        ),
        actor: request.actor.actor,
        embeddings: vectors === null ? null : { model: vectors.model, of: embeddings },
        outcome: toOutcome(application, written, counts),
        after: application.after,
      });
      return applied === null ? null : { ...applied, counts, withoutVector };
    } catch (error) {
      if (isRetryableConflict(error)) return null;
      throw error;
    }
  }

  function applyCompared(application: Application, request: WriteRequest): Promise<Applied> {
    const { claim, vectors } = application;
    return deps.database.transaction(async (tx) => {
      await assertFence(tx, claim);
      const written = await writeMemories(tx, request);
      const { embeddings, withoutVector } = matchVectors(written, vectors);
      if (vectors !== null) await saveEmbeddings(tx, vectors.model, embeddings);
      const counts = countChanges(application, written);
      const ended = await finishExtraction(tx, claim, toOutcome(application, written, counts));
      if (application.after !== null) await afterApply(tx, claim, application.after);
      return { ...ended, counts, withoutVector };
    });
  }
}

/** The vectors of what was written, and the memories that have none yet. */
function matchVectors(
  written: readonly Written[],
  vectors: Vectors | null,
): { embeddings: NewEmbedding[]; withoutVector: string[] } {
  const embeddings: NewEmbedding[] = [];
  const withoutVector: string[] = [];
  for (const { id, pendingContent: content } of written) {
    if (id === null || content === null) continue;
    const vector = vectors?.byText.get(content);
    if (vector === undefined) withoutVector.push(id);
    else embeddings.push({ memoryId: id, content, vector });
  }
  return { embeddings, withoutVector };
}

function countChanges({ rejected }: Application, written: readonly Written[]): Counts {
  return {
    added: written.filter((memory) => memory.status === 'created').length,
    updated: written.filter((memory) => memory.status === 'updated').length,
    deleted: 0,
    unchanged: written.filter((memory) => memory.status === 'unchanged').length,
    rejected: rejected.reduce((sum, rejection) => sum + rejection.count, 0),
  };
}

function toOutcome(
  { degraded, embedMs }: Application,
  written: readonly Written[],
  counts: Counts,
): ExtractionOutcome {
  return {
    ...counts,
    memoryIds: [...new Set(written.flatMap((memory) => memory.id ?? []))],
    degraded,
    embedMs,
  };
}
