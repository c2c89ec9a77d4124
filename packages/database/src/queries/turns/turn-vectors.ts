import { toHalfvecs } from '../../pool/binary.ts';
import type { Sql } from '../../pool/sql.ts';
import { claimByTenant, lockDue, type TenantRow } from '../claim-by-tenant.ts';

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
export async function releaseTurnParts(sql: Sql, ids: readonly string[]): Promise<void> {
  await sql.query('update turn_parts set embedding_leased_until = null where id = any($1::uuid[])', [ids]);
}

/** Stops waiting for the vectors of parts that the model in use cannot make use of; they are found by their words. */
export async function giveUpTurnParts(sql: Sql, ids: readonly string[]): Promise<void> {
  await sql.query(
    `update turn_parts set embedding_pending_since = null, embedding_leased_until = null,
       refused_by = (select id from embedding_models where state = 'active')
     where id = any($1::uuid[])`,
    [ids],
  );
}

/** Stores the vectors of parts; those of messages that were deleted meanwhile are passed over. */
export async function saveTurnPartEmbeddings(
  sql: Sql,
  model: string,
  embeddings: readonly Readonly<{ id: string; vector: readonly number[] }>[],
): Promise<void> {
  await sql.query(
    `with given as (
       select * from unnest($2::uuid[], $3::halfvec[]) as g (id, vector)
     ), kept as (
       update turn_parts p set embedding_pending_since = null, embedding_leased_until = null
       from given where p.id = given.id
       returning p.id, p.tenant_id, p.user_id, given.vector
     )
     insert into turn_part_embeddings (part_id, model, tenant_id, user_id, embedding)
     select id, $1::text, tenant_id, user_id, vector from kept
     on conflict (part_id, model, tenant_id) do update set embedding = excluded.embedding, created_at = now()`,
    [model, embeddings.map(({ id }) => id), toHalfvecs(embeddings.map(({ vector }) => vector))],
  );
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
export function markMissingTurnParts(
  sql: Sql,
  model: string,
  after: string,
): Promise<{ next: string | null; marked: number }> {
  return sql.one(
    `with looked_at as materialized (
       select id, tenant_id, embedding_pending_since, refused_by from turn_parts where id > $2::uuid
       order by id limit ${WINDOW}
     ), marked as (
       update turn_parts p set embedding_pending_since = now()
       from looked_at l
       where p.id = l.id and p.tenant_id = l.tenant_id and l.embedding_pending_since is null and p.embedding_pending_since is null
         and l.refused_by is distinct from $1::text
         and not exists (select from turn_part_embeddings e
           where e.part_id = l.id and e.tenant_id = l.tenant_id and e.model = $1::text)
       returning p.id
     )
     select (select id from looked_at order by id desc limit 1) as next,
       (select count(*) from marked)::integer as marked`,
    [model, after],
  );
}
