import { toHalfvecs } from '../../pool/binary.ts';
import type { Sql } from '../../pool/sql.ts';
import { claimByTenant, lockDue, type TenantRow } from '../claim-by-tenant.ts';

/** Texts that wait for their vectors, each leased to one worker at a time, and where their vectors are stored. */
export type LeasedTexts = Readonly<{
  table: 'document_chunks' | 'turn_parts';
  embeddings: 'document_chunk_embeddings' | 'turn_part_embeddings';
  /** The column of `embeddings` with the id of the text. */
  key: 'chunk_id' | 'part_id';
  /** SQL: which of the rows `r` come first. */
  order: string;
}>;

/** A text that lacks its vector. */
export type PendingText = TenantRow & Readonly<{ userId: string; content: string }>;

/** How long a taken text is left alone. Longer than any batch takes; a worker that dies holds it up this long. */
const LEASE_SECONDS = 120;
const DUE = `r.embedding_pending_since is not null
  and (r.embedding_leased_until is null or r.embedding_leased_until < now())`;

/** Takes texts that wait for their vector; nobody else gets them for two minutes. */
export async function takePendingTexts(
  sql: Sql,
  { table, order }: LeasedTexts,
  limit: number,
): Promise<PendingText[]> {
  return claimByTenant(
    limit,
    async (most) => {
      const { rows } = await sql.query<TenantRow>(
        `select r.tenant_id as "tenantId", r.id from ${table} r where ${DUE}
         order by ${order} limit $1::integer`,
        [most],
      );
      return rows;
    },
    async (tenantId, ids) => {
      const { rows } = await sql.query<PendingText>(
        `with due as (${lockDue(table, DUE)})
         update ${table} t set embedding_leased_until = now() + ${LEASE_SECONDS} * interval '1 second'
         from due where t.tenant_id = $1::uuid and t.id = due.id
         returning t.id, t.tenant_id as "tenantId", t.user_id as "userId", t.content`,
        [tenantId, ids],
      );
      return rows;
    },
  );
}

/** Gives taken texts back: their vectors could not be computed now. */
export async function releaseTexts(
  sql: Sql,
  { table }: LeasedTexts,
  texts: readonly TenantRow[],
): Promise<void> {
  for (const [tenantId, own] of Map.groupBy(texts, (text) => text.tenantId)) {
    await sql.query(
      `update ${table} set embedding_leased_until = null where tenant_id = $1::uuid and id = any($2::uuid[])`,
      [tenantId, own.map(({ id }) => id)],
    );
  }
}

/** Stores the vectors of texts; those that were replaced or deleted meanwhile are passed over. */
export async function saveTextEmbeddings(
  sql: Sql,
  { table, embeddings, key }: LeasedTexts,
  model: string,
  vectors: readonly (TenantRow & Readonly<{ vector: readonly number[] }>)[],
): Promise<void> {
  for (const [tenantId, own] of Map.groupBy(vectors, (vector) => vector.tenantId)) {
    await sql.query(
      `with given as (
         select * from unnest($3::uuid[], $4::halfvec[]) as g (id, vector)
       ), kept as (
         update ${table} t set embedding_pending_since = null, embedding_leased_until = null
         from given where t.tenant_id = $1::uuid and t.id = given.id
         returning t.id, t.user_id, given.vector
       )
       insert into ${embeddings} (${key}, model, tenant_id, user_id, embedding)
       select id, $2::text, $1::uuid, user_id, vector from kept
       on conflict (tenant_id, ${key}, model) do update set embedding = excluded.embedding, created_at = now()`,
      [tenantId, model, own.map(({ id }) => id), toHalfvecs(own.map(({ vector }) => vector))],
    );
  }
}

/** How many texts wait for their vector and for a worker, counted up to 10,000. */
export async function countPendingTexts(sql: Sql, { table }: LeasedTexts): Promise<number> {
  const { count } = await sql.one<{ count: number }>(
    `select count(*)::integer as count from (
       select 1 from ${table} r where ${DUE} limit 10000) as waiting`,
  );
  return count;
}
