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
import { markWaiting } from '../vectors/missing-vectors.ts';

/** The latest first (turn_parts_embedding_pending_idx). */
const PARTS: LeasedTexts = {
  table: 'turn_parts',
  embeddings: 'turn_part_embeddings',
  key: 'part_id',
  order: 'r.embedding_pending_since desc, r.id desc',
};
/** Rows that one statement looks at. */
const WINDOW = 5_000;

/** Takes parts of turns that wait for their vector; nobody else gets them for two minutes. */
export function takePendingTurnParts(sql: Sql, limit: number): Promise<PendingText[]> {
  return takePendingTexts(sql, PARTS, limit);
}

/** Gives taken parts back: their vectors could not be computed now. */
export function releaseTurnParts(sql: Sql, parts: readonly TenantRow[]): Promise<void> {
  return releaseTexts(sql, PARTS, parts);
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
export function saveTurnPartEmbeddings(
  sql: Sql,
  model: string,
  embeddings: readonly (TenantRow & Readonly<{ vector: readonly number[] }>)[],
): Promise<void> {
  return saveTextEmbeddings(sql, PARTS, model, embeddings);
}

/** How many parts wait for their vector and for a worker, counted up to 10,000. */
export function countPendingTurnParts(sql: Sql): Promise<number> {
  return countPendingTexts(sql, PARTS);
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
