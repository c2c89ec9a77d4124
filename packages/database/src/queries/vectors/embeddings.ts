import { toHalfvecs } from '../../pool/binary.ts';
import type { Sql } from '../../pool/sql.ts';
import type { TenantRow } from '../claim-by-tenant.ts';
import { refuseVector } from './missing-vectors.ts';
import { parseVectorText } from './vector-text.ts';

/** A memory without a vector. */
export type PendingEmbedding = Readonly<{ id: string; tenantId: string; userId: string; content: string }>;

/** The known sizes of a model whose ids have the form `model@size`. */
export async function listRegisteredSizes(sql: Sql, model: string): Promise<number[]> {
  const { rows } = await sql.query<{ dimensions: number }>(
    `select dimensions from embedding_models where id = $1::text || '@' || dimensions::text order by dimensions`,
    [model],
  );
  return rows.map((row) => row.dimensions);
}

/** Users whose memories are searched. */
export type MemoryOwner = Readonly<{ tenantId: string; userId: string }>;

/**
 * Stored vectors of a model for exactly these texts, in memories of these users, including those that are not current
 * any more. Uses memories_content_idx; the lists are selected, so that the statement is not planned again for each.
 *
 * @param texts text → its content hash, in hex
 */
export async function findStoredVectors(
  sql: Sql,
  request: Readonly<{ model: string; owners: readonly MemoryOwner[]; texts: ReadonlyMap<string, string> }>,
): Promise<Map<string, number[]>> {
  const { rows } = await sql.query<{ content: string; vector: string }>(
    `select distinct on (m.content) m.content, e.embedding::text as vector
     from unnest($2::uuid[], $3::text[]) as o (tenant_id, user_id)
     join memories m on m.tenant_id = o.tenant_id and m.user_id = o.user_id
       and m.content_hash = any((select $4::bytea[])::bytea[]) and m.content = any((select $5::text[])::text[])
     join memory_embeddings e on e.tenant_id = m.tenant_id and e.memory_id = m.id and e.model = $1::text and e.content_hash = m.content_hash`,
    [
      request.model,
      request.owners.map((owner) => owner.tenantId),
      request.owners.map((owner) => owner.userId),
      [...request.texts.values()].map((hash) => Buffer.from(hash, 'hex')),
      [...request.texts.keys()],
    ],
    { name: 'find_stored_vectors' },
  );
  return new Map(rows.map((row) => [row.content, parseVectorText(row.vector)]));
}

export type NewEmbedding = Readonly<{ memoryId: string; content: string; vector: readonly number[] }>;

/**
 * Stores vectors of memories whose content is still the embedded one; a memory edited meanwhile keeps waiting.
 * Resolves to the number stored.
 */
export async function saveEmbeddings(
  sql: Sql,
  model: string,
  embeddings: readonly (NewEmbedding & Readonly<{ tenantId: string }>)[],
): Promise<number> {
  let stored = 0;
  for (const [tenantId, own] of Map.groupBy(embeddings, (embedding) => embedding.tenantId)) {
    const { rowCount } = await sql.query(
      `with given as (
         select * from unnest($3::uuid[], $4::text[], $5::halfvec[]) as g (memory_id, content, vector)
       ), fresh as (
         update memories m set embedding_pending_since = null
         from given where m.tenant_id = $1::uuid and m.id = given.memory_id and m.content = given.content
         returning m.id, m.user_id, m.content_hash, given.vector
       )
       insert into memory_embeddings (memory_id, model, tenant_id, user_id, content_hash, embedding)
       select id, $2::text, $1::uuid, user_id, content_hash, vector from fresh
       on conflict (tenant_id, memory_id, model) do update
         set content_hash = excluded.content_hash, embedding = excluded.embedding, created_at = now()`,
      [
        tenantId,
        model,
        own.map((embedding) => embedding.memoryId),
        own.map((embedding) => embedding.content),
        toHalfvecs(own.map((embedding) => embedding.vector)),
      ],
      { name: 'save_embeddings' },
    );
    stored += rowCount;
  }
  return stored;
}

/**
 * Memories that wait for a vector, longest waiting first; with `ids`, only these. Uses
 * memories_embedding_pending_idx.
 */
export async function listPendingEmbeddings(
  sql: Sql,
  options: Readonly<{ ids: readonly string[] | null; limit: number }>,
): Promise<PendingEmbedding[]> {
  const { rows } = await sql.query<PendingEmbedding>(
    `select id, tenant_id as "tenantId", user_id as "userId", content from memories
     where embedding_pending_since is not null and is_current
       and ($1::uuid[] is null or id = any($1::uuid[]))
     order by embedding_pending_since, id limit $2::integer`,
    [options.ids, options.limit],
  );
  return rows;
}

/** Stops waiting for vectors of memories that the model in use refuses; text search still finds them. */
export async function giveUpEmbeddings(sql: Sql, memories: readonly TenantRow[]): Promise<void> {
  for (const memory of memories) await refuseVector(sql, null, 'memories', memory);
  for (const [tenantId, own] of Map.groupBy(memories, (memory) => memory.tenantId)) {
    await sql.query(
      'update memories set embedding_pending_since = null where tenant_id = $1::uuid and id = any($2::uuid[])',
      [tenantId, own.map(({ id }) => id)],
    );
  }
}

/** How many memories wait for their vector, counted up to 10,000. */
export async function countPendingEmbeddings(sql: Sql): Promise<number> {
  const { count } = await sql.one<{ count: number }>(
    `select count(*)::integer as count from (
       select 1 from memories where embedding_pending_since is not null and is_current limit 10000) as waiting`,
  );
  return count;
}
