import { toHalfvecs } from '../../pool/binary.ts';
import type { Sql } from '../../pool/sql.ts';
import type { NewEmbedding } from '../vectors/embeddings.ts';
import { type Ended, extractionClaims, type HeldClaim } from '../claims.ts';
import type { ExtractionOutcome } from './ledger.ts';
import { memoriesToJson, type NewMemory } from '../memories/new-memory.ts';
import { toMaxDistance } from '../memories/neighbours.ts';
import type { PostApply } from '../summaries/summary-refresh.ts';

export type NewMemories = Readonly<{
  memories: readonly NewMemory[];
  actor: string;
  /** Vectors of some of the memories; null without any. */
  embeddings: Readonly<{ model: string; of: readonly NewEmbedding[] }> | null;
  outcome: ExtractionOutcome;
  /** Further writes in the same transaction; null for none. */
  postApply: PostApply | null;
  /** From this cosine on, a current memory matches one of the vectors; null (the default): no check. */
  nearSimilarity?: number | null;
}>;

/**
 * Stores an extraction's memories and ends it, provided that no memory of the user matches: one statement, which is
 * its own transaction. Resolves to null, without effect, when a memory matches or is similar; then the writes must be
 * planned under the user's lock.
 *
 * @throws AppError `fenced`; `internal` with isRetryableConflict when two of the memories are the same
 */
export async function applyNewMemories(
  sql: Sql,
  claim: HeldClaim,
  { memories, actor, embeddings, outcome, postApply, nearSimilarity = null }: NewMemories,
): Promise<Ended | null> {
  const embedded = embeddings?.of ?? [];
  const { answer, next } = await sql.one<Ended & { answer: 'applied' | 'known' | 'fenced' }>(
    `select answer, case answer when 'applied' then conclude_extraction($1::uuid, $11::uuid) end as next,
       case answer when 'applied' then after_apply($1::uuid, $9::jsonb, $11::uuid) end
     from apply_new_memories($1::uuid, $2::integer, $3::jsonb, $4::text, $5::text, $6::uuid[], null,
       $8::jsonb, $10::float8, $7::halfvec[], $11::uuid) as answer`,
    [
      claim.id,
      claim.fence,
      memoriesToJson(memories),
      actor,
      embeddings?.model ?? null,
      embedded.map((embedding) => embedding.memoryId),
      toHalfvecs(embedded.map((embedding) => embedding.vector)),
      JSON.stringify(outcome),
      postApply === null ? null : JSON.stringify(postApply),
      nearSimilarity === null ? null : toMaxDistance(nearSimilarity),
      claim.tenantId,
    ],
    { name: 'apply_new_memories' },
  );
  if (answer === 'fenced') throw extractionClaims.fencedOff();
  return answer === 'applied' ? { next } : null;
}
