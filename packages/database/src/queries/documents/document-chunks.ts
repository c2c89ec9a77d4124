import { toHalfvecs } from '../../pool/binary.ts';
import type { Sql } from '../../pool/sql.ts';
import { claimByTenant, lockDue, type TenantRow } from '../claim-by-tenant.ts';
import { refuseVector } from '../vectors/missing-vectors.ts';

/** A chunk that lacks its vector. */
export type PendingChunk = Readonly<{ id: string; tenantId: string; userId: string; content: string }>;

/** How long a claimed chunk is reserved. Longer than any batch takes; a dead worker blocks it this long. */
const LEASE_SECONDS = 120;
const DUE = `r.embedding_pending_since is not null
  and (r.embedding_leased_until is null or r.embedding_leased_until < now())`;

/**
 * Claims chunks that wait for their vector, longest waiting first, for two minutes. Uses
 * document_chunks_embedding_pending_idx.
 */
export async function takePendingChunks(sql: Sql, limit: number): Promise<PendingChunk[]> {
  return claimByTenant(
    limit,
    async (most) => {
      const { rows } = await sql.query<TenantRow>(
        `select r.tenant_id as "tenantId", r.id from document_chunks r where ${DUE}
         order by r.embedding_pending_since, r.id limit $1::integer`,
        [most],
      );
      return rows;
    },
    async (tenantId, ids) => {
      const { rows } = await sql.query<PendingChunk>(
        `with due as (${lockDue('document_chunks', DUE)})
         update document_chunks c set embedding_leased_until = now() + ${LEASE_SECONDS} * interval '1 second'
         from due where c.tenant_id = $1::uuid and c.id = due.id
         returning c.id, c.tenant_id as "tenantId", c.user_id as "userId", c.content`,
        [tenantId, ids],
      );
      return rows;
    },
  );
}

/** Releases claimed chunks: their vectors could not be computed now. */
export async function releaseChunks(sql: Sql, chunks: readonly TenantRow[]): Promise<void> {
  for (const [tenantId, own] of Map.groupBy(chunks, (chunk) => chunk.tenantId)) {
    await sql.query(
      `update document_chunks set embedding_leased_until = null
       where tenant_id = $1::uuid and id = any($2::uuid[])`,
      [tenantId, own.map(({ id }) => id)],
    );
  }
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
export async function saveChunkEmbeddings(
  sql: Sql,
  model: string,
  embeddings: readonly (TenantRow & Readonly<{ vector: readonly number[] }>)[],
): Promise<void> {
  for (const [tenantId, own] of Map.groupBy(embeddings, (embedding) => embedding.tenantId)) {
    await sql.query(
      `with given as (
         select * from unnest($3::uuid[], $4::halfvec[]) as g (id, vector)
       ), kept as (
         update document_chunks c set embedding_pending_since = null, embedding_leased_until = null
         from given where c.tenant_id = $1::uuid and c.id = given.id
         returning c.id, c.user_id, given.vector
       )
       insert into document_chunk_embeddings (chunk_id, model, tenant_id, user_id, embedding)
       select id, $2::text, $1::uuid, user_id, vector from kept
       on conflict (tenant_id, chunk_id, model) do update set embedding = excluded.embedding, created_at = now()`,
      [tenantId, model, own.map(({ id }) => id), toHalfvecs(own.map(({ vector }) => vector))],
    );
  }
}

/** How many chunks wait for a vector and are not claimed, counted up to 10,000. */
export async function countPendingChunks(sql: Sql): Promise<number> {
  const { count } = await sql.one<{ count: number }>(
    `select count(*)::integer as count from (
       select 1 from document_chunks where embedding_pending_since is not null
         and (embedding_leased_until is null or embedding_leased_until < now()) limit 10000) as waiting`,
  );
  return count;
}
