import type { Sql } from '../../pool/sql.ts';
import type { TenantRow } from '../claim-by-tenant.ts';

export type Purged = Readonly<{ memories: number; idempotencyKeys: number }>;

/** Days for which an Idempotency-Key is valid. */
const IDEMPOTENCY_RETENTION_DAYS = 7;

/**
 * Deletes for good what is no longer visible: memories that have expired (an event says so), memories deleted more than
 * `deletedRetentionDays` ago, replaced texts of summaries of that age, and old idempotency keys; at most `limit` rows
 * of each per call. What is under a legal hold stays. Reads over the tenants, then deletes tenant by tenant what is
 * still to go.
 */
export async function purge(
  sql: Sql,
  options: Readonly<{ deletedRetentionDays: number; limit: number }>,
): Promise<Purged> {
  const memories = await purgeMemoriesOfAll(sql, options);
  const idempotencyKeys = await purgeIdempotencyKeys(sql, options.limit);
  await purgeSummaryVersions(sql, options);
  return { memories, idempotencyKeys };
}

type Options = Parameters<typeof purge>[1];

async function purgeMemoriesOfAll(sql: Sql, { deletedRetentionDays: days, limit }: Options): Promise<number> {
  const { rows } = await sql.query<TenantRow>(
    `select tenant_id as "tenantId", id from (
       select tenant_id, id from memories where expires_at <= now() and not is_held(tenant_id, user_id)
       union
       select tenant_id, id from memories where deleted_at <= now() - $1::integer * interval '1 day'
         and not is_held(tenant_id, user_id)
       limit $2::integer) as gone`,
    [days, limit],
  );
  let deleted = 0;
  for (const [tenantId, own] of Map.groupBy(rows, (row) => row.tenantId)) {
    const { count } = await sql.one<{ count: number }>(
      `with gone as (
         select id from memories where tenant_id = $1::uuid and id = any($2::uuid[])
           and (expires_at <= now() or deleted_at <= now() - $3::integer * interval '1 day')
           and not is_held(tenant_id, user_id)
       ), versions as (
         delete from memory_versions v using gone where v.tenant_id = $1::uuid and v.memory_id = gone.id
       ), removed as (
         delete from memories m using gone where m.tenant_id = $1::uuid and m.id = gone.id returning m.*
       ), noted as (
         insert into events (tenant_id, watermark, type, user_id, data)
         select tenant_id, event_watermark(), 'memory.deleted', user_id,
           jsonb_build_object('memory_id', id, 'operation', 'EXPIRE', 'extraction_id', null)
         from removed where deleted_at is null
       )
       select count(*)::integer as count from removed`,
      [tenantId, own.map(({ id }) => id), days],
    );
    deleted += count;
  }
  return deleted;
}

async function purgeIdempotencyKeys(sql: Sql, limit: number): Promise<number> {
  const { rows } = await sql.query<Readonly<{ tenantId: string; key: string }>>(
    `select tenant_id as "tenantId", key from idempotency_keys
     where created_at < now() - $1::integer * interval '1 day' limit $2::integer`,
    [IDEMPOTENCY_RETENTION_DAYS, limit],
  );
  for (const [tenantId, own] of Map.groupBy(rows, (row) => row.tenantId)) {
    await sql.query('delete from idempotency_keys where tenant_id = $1::uuid and key = any($2::text[])', [
      tenantId,
      own.map(({ key }) => key),
    ]);
  }
  return rows.length;
}

/** Summaries may quote a deleted memory, so their old texts are deleted too. */
async function purgeSummaryVersions(sql: Sql, { deletedRetentionDays, limit }: Options): Promise<void> {
  const { rows } = await sql.query<TenantRow & Readonly<{ number: number }>>(
    `select v.tenant_id as "tenantId", v.summary_id as id, v.number
     from summary_versions v join summaries s on s.tenant_id = v.tenant_id and s.id = v.summary_id
     where v.created_at < now() - $1::integer * interval '1 day' and v.number < s.version
       and not is_held(s.tenant_id, s.user_id)
     limit $2::integer`,
    [deletedRetentionDays, limit],
  );
  for (const [tenantId, own] of Map.groupBy(rows, (row) => row.tenantId)) {
    await sql.query(
      `delete from summary_versions v using unnest($2::uuid[], $3::integer[]) as old (summary_id, number)
       where v.tenant_id = $1::uuid and v.summary_id = old.summary_id and v.number = old.number`,
      [tenantId, own.map(({ id }) => id), own.map(({ number }) => number)],
    );
  }
}
