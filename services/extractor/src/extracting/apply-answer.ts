import { globalConversationsOf } from '@factmill/contracts';
import {
  type Actor,
  type PostApply,
  applyNewMemories,
  type Claim,
  type DatabasePool,
  type Ended,
  extractionClaims,
  type ExtractionOutcome,
  finishExtraction,
  isRetryableConflict,
  type MemoryStore,
  type NewEmbedding,
  saveEmbeddings,
  type Sql,
  toStoredAnswer,
} from '@factmill/database';
import type { Candidate, Preset, Rejection } from '@factmill/extraction';
import {
  type CompareBySimilarity,
  NOTHING,
  planWrites,
  SERVED_MEMORIES,
  writeMemories,
  type WriteRequest,
  type Written,
} from '@factmill/memories';
import { withSpan } from '@factmill/telemetry';
import type { ModelCall, PinnedOutput } from '@factmill/database';
import type { Vectors } from '../providers/embed-texts.ts';
import type { createReconcileCandidates, Reconciled } from './reconcile-candidates.ts';

export type Application = Readonly<{
  claim: Claim;
  preset: Preset;
  candidates: readonly Candidate[];
  rejected: readonly Rejection[];
  vectors: Vectors | null;
  wantsEmbedding: boolean;
  embedMs: number | null;
  degraded: readonly string[];
  /** Further writes in the same transaction; null for none. */
  postApply: PostApply | null;
  /** A pinned answer of an earlier run about similar memories. */
  pinned: PinnedOutput | undefined;
  /** The call whose answer is not stored yet; null when it is. */
  unpinned: ModelCall | null;
  signal: AbortSignal;
}>;

type Counts = Pick<ExtractionOutcome, 'added' | 'updated' | 'deleted' | 'unchanged' | 'rejected'>;

export type Applied = Ended &
  Readonly<{
    counts: Counts;
    /** Memories that still lack a vector. */
    withoutVector: readonly string[];
  }>;

/** No two vectors are this similar, so nothing counts as a duplicate by similarity. */
const ABOVE_ANY_SIMILARITY = 2;
/** All vectors are at least this similar. */
const MIN_SIMILARITY = -1;

/** Where answers are applied. */
export type ApplyTarget = Readonly<{
  /** Stores memories that are all new in one statement; null: they are always compared. */
  applyNew: typeof applyNewMemories | null;
  storeOf: (claim: Claim) => MemoryStore;
  actorOf: (claim: Claim) => Actor;
  assertFence: (tx: Sql, claim: Claim) => Promise<void>;
  saveEmbeddings: (
    tx: Sql,
    claim: Claim,
    model: string,
    embeddings: readonly NewEmbedding[],
  ) => Promise<unknown>;
  finish: (tx: Sql, claim: Claim, outcome: ExtractionOutcome, postApply: PostApply | null) => Promise<Ended>;
}>;

/** The memories that are served, and the ledger of extractions. */
export const SERVED: ApplyTarget = {
  applyNew: applyNewMemories,
  storeOf: () => SERVED_MEMORIES,
  actorOf: ({ id }) => ({ actor: 'extraction', extractionId: id }),
  assertFence: extractionClaims.assertFence,
  saveEmbeddings: (tx, { tenantId }, model, embeddings) =>
    saveEmbeddings(
      tx,
      model,
      embeddings.map((embedding) => ({ ...embedding, tenantId })),
    ),
  finish: finishExtraction,
};

export type ApplyDeps = Readonly<{
  database: DatabasePool;
  target: ApplyTarget;
  /** Null without a model to ask. */
  reconcile: ReturnType<typeof createReconcileCandidates> | null;
  /** Embeds texts that reconciling created; null when their vectors must follow later. */
  embed: (claim: Claim, texts: readonly string[], signal: AbortSignal) => Promise<Vectors | null>;
  newId: () => string;
  date: () => Date;
}>;

/**
 * Writes an answer: memories, their versions and vectors, the conversation's mark and the ledger's `done`, all in one
 * transaction that first checks the fence. A redelivered job or a late worker writes nothing (G2, G4). When all
 * memories are new, as most are, one statement is enough. Otherwise they are compared with similar memories under the
 * user's lock, after asking the model if the preset wants that.
 *
 * @throws AppError of the model when asked about similar memories, `fenced`, `database_unavailable`
 */
export function createApplyAnswer(deps: ApplyDeps) {
  return async function applyAnswer(application: Application): Promise<Applied> {
    const { claim, vectors, signal } = application;
    const similarity = similarityOf(application);
    const request: WriteRequest = {
      tenantId: claim.tenantId,
      userId: claim.userId,
      conversationId: scopeOf(application),
      memories: application.candidates.map((candidate) => ({ candidate })),
      actor: deps.target.actorOf(claim),
      store: deps.target.storeOf(claim),
      wantsEmbedding: application.wantsEmbedding,
      newId: deps.newId,
      now: deps.date(),
      ...(similarity === null ? {} : { similarity }),
    };
    const attributes = { candidates: application.candidates.length };
    const { applyNew } = deps.target;
    if (application.pinned === undefined && applyNew !== null) {
      const applied = await withSpan('apply', { attributes }, () =>
        applyAsNew(application, request, similarity, applyNew),
      );
      if (applied !== null) return applied;
    }
    const { reconciliation, texts, failed, refused } = await reconcileWith(application, request);
    const more = texts.length === 0 ? null : await deps.embed(claim, texts, signal);
    signal.throwIfAborted();
    const compared: Application = {
      ...application,
      rejected: [...application.rejected, ...refused.map((reason) => ({ reason, count: 1 }))],
      degraded: failed ? [...application.degraded, 'reconcile_failed'] : application.degraded,
      vectors:
        vectors && more ? { ...vectors, byText: new Map([...vectors.byText, ...more.byText]) } : vectors,
    };
    return withSpan('apply', { attributes }, () =>
      applyCompared(compared, reconciliation === null ? request : { ...request, reconcile: reconciliation }),
    );
  };

  /** How candidates are compared by vector; null when they are not. */
  function similarityOf({ candidates, preset, vectors }: Application): Similarity | null {
    if (vectors === null || (!preset.dedupBySimilarity && !reconciles(preset))) return null;
    const duplicateSimilarity = preset.dedupBySimilarity ? vectors.duplicateSimilarity : ABOVE_ANY_SIMILARITY;
    const from = preset.reconcile === 'always' ? MIN_SIMILARITY : vectors.relatedSimilarity;
    return {
      model: vectors.model,
      vectors: candidates.map(({ content }) =>
        vectors.reads(content) ? (vectors.byText.get(content) ?? null) : null,
      ),
      duplicateSimilarity,
      minSimilarity: reconciles(preset) ? Math.min(from, duplicateSimilarity) : duplicateSimilarity,
    };
  }

  function reconciles(preset: Preset): boolean {
    return deps.reconcile !== null && preset.reconcile !== 'never';
  }

  async function reconcileWith(
    { claim, preset, vectors, pinned, signal }: Application,
    write: WriteRequest,
  ): Promise<Reconciled> {
    if (deps.reconcile === null || preset.reconcile === 'never' || vectors === null) {
      return { reconciliation: null, texts: [], failed: false, refused: [] };
    }
    const { relatedSimilarity } = vectors;
    return deps.reconcile({ claim, write, mode: preset.reconcile, relatedSimilarity, pinned, signal });
  }

  /**
   * Stores an answer whose memories are all new, in one statement. Null, with nothing done, when a memory matches.
   */
  async function applyAsNew(
    application: Application,
    request: WriteRequest,
    similarity: Similarity | null,
    applyNew: typeof applyNewMemories,
  ): Promise<Applied | null> {
    const { claim, vectors } = application;
    const plan = planWrites(request, NOTHING);
    const written = plan.toWritten(plan.added.map((memory) => memory.id));
    const { embeddings, withoutVector } = matchVectors(written, vectors);
    const embedded = new Set(embeddings.map((embedding) => embedding.memoryId));
    const counts = countChanges(application, written);
    try {
      const applied = await applyNew(deps.database, claim, {
        memories: plan.added.map((memory) =>
          embedded.has(memory.id) ? { ...memory, wantsEmbedding: false } : memory,
        ),
        actor: request.actor.actor,
        embeddings: vectors === null ? null : { model: vectors.model, of: embeddings },
        outcome: toOutcome(application, written, counts),
        postApply: application.postApply,
        nearSimilarity: similarity?.minSimilarity ?? null,
      });
      return applied === null ? null : { ...applied, counts, withoutVector };
    } catch (error) {
      if (isRetryableConflict(error)) return null;
      throw error;
    }
  }

  function applyCompared(application: Application, request: WriteRequest): Promise<Applied> {
    const { claim, vectors } = application;
    const { target } = deps;
    return deps.database.transaction(async (tx) => {
      await target.assertFence(tx, claim);
      const written = await writeMemories(tx, request);
      const { embeddings, withoutVector } = matchVectors(written, vectors);
      if (vectors !== null) await target.saveEmbeddings(tx, claim, vectors.model, embeddings);
      const counts = countChanges(application, written);
      const outcome = toOutcome(application, written, counts);
      const ended = await target.finish(tx, claim, outcome, application.postApply);
      return { ...ended, counts, withoutVector };
    });
  }
}

/** The conversation that the memories are kept for; empty for all conversations of the user. */
function scopeOf({ claim, preset }: Application): string {
  const { conversationId, userId } = claim;
  const isForAll = preset.memoryScope === 'user' || globalConversationsOf(userId).includes(conversationId);
  return isForAll ? '' : conversationId;
}

type Similarity = CompareBySimilarity & Readonly<{ minSimilarity: number }>;

/** The vectors of what was written, and the memories without one. */
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
    added: written.filter((memory) => isStored(memory) && memory.status === 'created').length,
    updated: written.filter((memory) => isStored(memory) && memory.status === 'updated').length,
    deleted: written.reduce((sum, memory) => sum + (memory.ended?.length ?? 0), 0),
    unchanged: written.filter((memory) => !isStored(memory) && memory.status !== 'skipped').length,
    rejected: rejected.reduce((sum, rejection) => sum + rejection.count, 0),
  };
}

/** Whether a candidate became a memory of its own, and is not covered by another candidate. */
function isStored({ reason, status }: Written): boolean {
  return reason === undefined && (status === 'created' || status === 'updated');
}

/** Why candidates were not stored: refused, or not new. */
function countReasons(
  { rejected }: Application,
  written: readonly Written[],
): Record<string, number> | undefined {
  const counts = new Map<string, number>();
  const count = (reason: string, times: number) => counts.set(reason, (counts.get(reason) ?? 0) + times);
  for (const { reason, count: times } of rejected) count(reason, times);
  for (const { reason } of written) if (reason !== undefined) count(reason, 1);
  return counts.size === 0 ? undefined : Object.fromEntries(counts);
}

function toOutcome(application: Application, written: readonly Written[], counts: Counts): ExtractionOutcome {
  const { degraded, embedMs, unpinned } = application;
  const rejections = countReasons(application, written);
  return {
    ...counts,
    memoryIds: [...new Set(written.flatMap((memory) => memory.id ?? []))],
    degraded: degraded.length === 0 ? null : degraded.join(','),
    embedMs,
    ...(rejections === undefined ? {} : { rejections }),
    ...(unpinned === null ? {} : { answer: toStoredAnswer(unpinned) }),
  };
}
