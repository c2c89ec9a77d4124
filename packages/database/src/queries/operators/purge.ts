import type { Sql } from '../../pool/sql.ts';

export type Purged = Readonly<{ memories: number; idempotencyKeys: number }>;

/** Days for which an Idempotency-Key is valid. */
const IDEMPOTENCY_RETENTION_DAYS = 7;

/**
 * Deletes for good what is no longer visible: memories that have expired (an event says so), memories deleted more than
 * `deletedRetentionDays` ago, replaced texts of summaries of that age, and old idempotency keys; at most `limit` rows
 * of each per call. What is under a legal hold stays.
 */
export async function purge(
  sql: Sql,
  options: Readonly<{ deletedRetentionDays: number; limit: number }>,
): Promise<Purged> {
  const memories = await sql.one<{ count: number }>(
    `with gone as (
       select tenant_id, id from memories where expires_at <= now() and not is_held(tenant_id, user_id)
       union
       select tenant_id, id from memories where deleted_at <= now() - $1::integer * interval '1 day'
         and not is_held(tenant_id, user_id)
       limit $2::integer
     ), versions as (
       delete from memory_versions v using gone where v.tenant_id = gone.tenant_id and v.memory_id = gone.id
     ), removed as (
       delete from memories m using gone where m.tenant_id = gone.tenant_id and m.id = gone.id returning m.*
     ), noted as (
       insert into events (tenant_id, watermark, type, user_id, data)
       select tenant_id, event_watermark(), 'memory.deleted', user_id,
         jsonb_build_object('memory_id', id, 'operation', 'EXPIRE', 'extraction_id', null)
       from removed where deleted_at is null
     )
     select count(*)::integer as count from removed`,
    [options.deletedRetentionDays, options.limit],
  );
  const keys = await sql.query(
    `with old as (
       select tenant_id, key from idempotency_keys where created_at < now() - $1::integer * interval '1 day'
       limit $2::integer
     )
     delete from idempotency_keys k using old where k.tenant_id = old.tenant_id and k.key = old.key`,
    [IDEMPOTENCY_RETENTION_DAYS, options.limit],
  );
  // Summaries may quote a deleted memory, so their old texts are deleted too.
  await sql.query(
    `with old as (
       select v.tenant_id, v.summary_id, v.number
       from summary_versions v join summaries s on s.tenant_id = v.tenant_id and s.id = v.summary_id
       where v.created_at < now() - $1::integer * interval '1 day' and v.number < s.version
         and not is_held(s.tenant_id, s.user_id)
       limit $2::integer
     )
     delete from summary_versions v using old
     where v.tenant_id = old.tenant_id and v.summary_id = old.summary_id and v.number = old.number`,
    [options.deletedRetentionDays, options.limit],
  );
  return { memories: memories.count, idempotencyKeys: keys.rowCount };
}
