import { toHalfvecs } from '../../pool/binary.ts';
import type { Sql } from '../../pool/sql.ts';
import { claimByTenant, lockDue, type TenantRow } from '../claim-by-tenant.ts';
import { markWaiting } from '../vectors/missing-vectors.ts';

/** A part of a turn that lacks its vector. */
export type PendingTurnPart = Readonly<{ id: string; tenantId: string; userId: string; content: string }>;

/** How long a taken part is left alone. Longer than any batch takes; a worker that dies holds it up this long. */
const LEASE_SECONDS = 120;
const DUE = `r.embedding_pending_since is not null
  and (r.embedding_leased_until is null or r.embedding_leased_until < now())`;
/** Rows that one statement looks at. */
const WINDOW = 5_000;

/**
 * Takes parts of turns that wait for their vector, the latest of them first; nobody else gets them for two minutes.
 * Uses turn_parts_embedding_pending_idx.
 */
export async function takePendingTurnParts(sql: Sql, limit: number): Promise<PendingTurnPart[]> {
  return claimByTenant(
    limit,
    async (most) => {
      const { rows } = await sql.query<TenantRow>(
        `select r.tenant_id as "tenantId", r.id from turn_parts r where ${DUE}
         order by r.embedding_pending_since desc, r.id desc limit $1::integer`,
        [most],
      );
      return rows;
    },
    async (tenantId, ids) => {
      const { rows } = await sql.query<PendingTurnPart>(
        `with due as (${lockDue('turn_parts', DUE)})
         update turn_parts p set embedding_leased_until = now() + ${LEASE_SECONDS} * interval '1 second'
         from due where p.tenant_id = $1::uuid and p.id = due.id
         returning p.id, p.tenant_id as "tenantId", p.user_id as "userId", p.content`,
        [tenantId, ids],
      );
      return rows;
    },
  );
}

/** Gives taken parts back: their vectors could not be computed now. */
export async function releaseTurnParts(sql: Sql, parts: readonly TenantRow[]): Promise<void> {
  for (const [tenantId, own] of Map.groupBy(parts, (part) => part.tenantId)) {
    await sql.query(
      `update turn_parts set embedding_leased_until = null where tenant_id = $1::uuid and id = any($2::uuid[])`,
      [tenantId, own.map(({ id }) => id)],
    );
  }
}

/** Stops waiting for the vectors of parts that the model in use cannot make use of; they are found by their words. */
export async function giveUpTurnParts(sql: Sql, parts: readonly TenantRow[]): Promise<void> {
  for (const [tenantId, own] of Map.groupBy(parts, (part) => part.tenantId)) {
    await sql.query(
      `update turn_parts set embedding_pending_since = null, embedding_leased_until = null,
         refused_by = (select id from embedding_models where state = 'active')
       where tenant_id = $1::uuid and id = any($2::uuid[])`,
      [tenantId, own.map(({ id }) => id)],
    );
  }
}

/** Stores the vectors of parts; those of messages that were deleted meanwhile are passed over. */
export async function saveTurnPartEmbeddings(
  sql: Sql,
  model: string,
  embeddings: readonly (TenantRow & Readonly<{ vector: readonly number[] }>)[],
): Promise<void> {
  for (const [tenantId, own] of Map.groupBy(embeddings, (embedding) => embedding.tenantId)) {
    await sql.query(
      `with given as (
         select * from unnest($3::uuid[], $4::halfvec[]) as g (id, vector)
       ), kept as (
         update turn_parts p set embedding_pending_since = null, embedding_leased_until = null
         from given where p.tenant_id = $1::uuid and p.id = given.id
         returning p.id, p.user_id, given.vector
       )
       insert into turn_part_embeddings (part_id, model, tenant_id, user_id, embedding)
       select id, $2::text, $1::uuid, user_id, vector from kept
       on conflict (part_id, model, tenant_id) do update set embedding = excluded.embedding, created_at = now()`,
      [tenantId, model, own.map(({ id }) => id), toHalfvecs(own.map(({ vector }) => vector))],
    );
  }
}

/** How many parts wait for their vector and for a worker, counted up to 10,000. */
export async function countPendingTurnParts(sql: Sql): Promise<number> {
  const { count } = await sql.one<{ count: number }>(
    `select count(*)::integer as count from (
       select 1 from turn_parts where embedding_pending_since is not null
         and (embedding_leased_until is null or embedding_leased_until < now()) limit 10000) as waiting`,
  );
  return count;
}

/**
 * Has the parts of one window behind `after` that lack a vector of the model wait for it. Those that wait already, and
 * those that the model makes no use of, are left alone.
 */
export async function markMissingTurnParts(
  sql: Sql,
  model: string,
  after: string,
): Promise<{ next: string | null; marked: number }> {
  const { rows } = await sql.query<Readonly<{ end: string | null }> & (TenantRow | { id: null })>(
    `with looked_at as materialized (
       select id, tenant_id, embedding_pending_since, refused_by from turn_parts where id > $2::uuid
       order by id limit ${WINDOW}
     ), missing as materialized (
       select tenant_id, id from looked_at l
       where l.embedding_pending_since is null and l.refused_by is distinct from $1::text
         and not exists (select from turn_part_embeddings e
           where e.part_id = l.id and e.tenant_id = l.tenant_id and e.model = $1::text)
     )
     select (select id from looked_at order by id desc limit 1) as "end", m.tenant_id as "tenantId", m.id
     from (select 1) as one left join missing m on true`,
    [model, after],
  );
  const missing = rows.flatMap((row) => (row.id === null ? [] : [row]));
  return { next: rows[0]?.end ?? null, marked: await markWaiting(sql, 'turn_parts', missing) };
}
