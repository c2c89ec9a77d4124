import type { Sql } from '../../pool/sql.ts';
import type { TenantRow } from '../claim-by-tenant.ts';
import {
  countPendingTexts,
  type LeasedTexts,
  type PendingText,
  releaseTexts,
  saveTextEmbeddings,
  takePendingTexts,
} from '../vectors/leased-texts.ts';
import { refuseVector } from '../vectors/missing-vectors.ts';

/** Longest waiting first (document_chunks_embedding_pending_idx). */
const CHUNKS: LeasedTexts = {
  table: 'document_chunks',
  embeddings: 'document_chunk_embeddings',
  key: 'chunk_id',
  order: 'r.embedding_pending_since, r.id',
};

/** Takes chunks that wait for their vector; nobody else gets them for two minutes. */
export function takePendingChunks(sql: Sql, limit: number): Promise<PendingText[]> {
  return takePendingTexts(sql, CHUNKS, limit);
}

/** Gives taken chunks back: their vectors could not be computed now. */
export function releaseChunks(sql: Sql, chunks: readonly TenantRow[]): Promise<void> {
  return releaseTexts(sql, CHUNKS, chunks);
}

/** Stops waiting for vectors of chunks that the model refuses. */
export async function giveUpChunks(sql: Sql, chunks: readonly TenantRow[]): Promise<void> {
  for (const chunk of chunks) await refuseVector(sql, null, 'chunks', chunk);
  for (const [tenantId, own] of Map.groupBy(chunks, (chunk) => chunk.tenantId)) {
    await sql.query(
      `update document_chunks set embedding_pending_since = null, embedding_leased_until = null
       where tenant_id = $1::uuid and id = any($2::uuid[])`,
      [tenantId, own.map(({ id }) => id)],
    );
  }
}

/** Stores the vectors of chunks; chunks replaced or deleted meanwhile are skipped. */
export function saveChunkEmbeddings(
  sql: Sql,
  model: string,
  embeddings: readonly (TenantRow & Readonly<{ vector: readonly number[] }>)[],
): Promise<void> {
  return saveTextEmbeddings(sql, CHUNKS, model, embeddings);
}

/** How many chunks wait for a vector and are not claimed, counted up to 10,000. */
export function countPendingChunks(sql: Sql): Promise<number> {
  return countPendingTexts(sql, CHUNKS);
}
