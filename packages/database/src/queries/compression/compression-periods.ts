import type { Sql } from '../../pool/sql.ts';
import { begun } from '../memories/memory-rows.ts';
import type { CompressionKind } from './compression-runs.ts';

export type CompressionPeriod = Readonly<{ kind: CompressionKind; period: string; dueAt: Date; until: Date }>;

/** Whether every user with work in this period has a run. */
export async function isPeriodFinished(
  sql: Sql,
  period: Pick<CompressionPeriod, 'kind' | 'period'>,
): Promise<boolean> {
  const row = await sql.maybeOne(
    `select 1 from compression_periods where kind = $1::text and period = $2::date and finished_at is not null`,
    [period.kind, period.period],
  );
  return row !== undefined;
}

export type PeriodProgress = Readonly<{ afterTenant: string; afterUser: string }>;

/**
 * Opens or continues a period: locks it until the end of the transaction and returns the position of its search for
 * users. Null when it is finished.
 */
export async function lockPeriod(tx: Sql, period: CompressionPeriod): Promise<PeriodProgress | null> {
  await tx.query(
    `insert into compression_periods (kind, period, due_at, until_at)
     values ($1::text, $2::date, $3::timestamptz, $4::timestamptz) on conflict do nothing`,
    [period.kind, period.period, period.dueAt, period.until],
  );
  const row = await tx.one<{ afterTenant: string | null; afterUser: string | null; finished: boolean }>(
    `select after_tenant as "afterTenant", after_user as "afterUser", finished_at is not null as finished
     from compression_periods where kind = $1::text and period = $2::date for update`,
    [period.kind, period.period],
  );
  return row.finished
    ? null
    : {
        afterTenant: row.afterTenant ?? '00000000-0000-0000-0000-000000000000',
        afterUser: row.afterUser ?? '',
      };
}

/** Stores the position of the search and the number of runs added; `finished`: there are no more users. */
export async function advancePeriod(
  tx: Sql,
  period: Pick<CompressionPeriod, 'kind' | 'period'>,
  step: Readonly<{ after: PeriodProgress; runs: number; finished: boolean }>,
): Promise<void> {
  await tx.query(
    `update compression_periods
     set after_tenant = $3::uuid, after_user = $4::text, runs = runs + $5::integer,
         finished_at = case when $6::boolean then now() end
     where kind = $1::text and period = $2::date`,
    [period.kind, period.period, step.after.afterTenant, step.after.afterUser, step.runs, step.finished],
  );
}

export type Owner = Readonly<{ tenantId: string; userId: string; hasWork: boolean }>;

/**
 * The next users after `after` with uncompressed events, in order; `hasWork`: one of the events is from before
 * `until`. Jumps from user to user along memories_uncompressed_idx.
 */
export async function listEventOwners(
  sql: Sql,
  page: Readonly<{ after: PeriodProgress; until: Date; limit: number }>,
): Promise<Owner[]> {
  const { rows } = await sql.query<Owner>(
    `with recursive owners as (
       (select tenant_id, user_id from memories
        where tier = 3 and is_current and compressed_at is null and (tenant_id, user_id) > ($1::uuid, $2::text)
        order by tenant_id, user_id limit 1)
       union all
       select next.* from owners cross join lateral (
         select m.tenant_id, m.user_id from memories m
         where m.tier = 3 and m.is_current and m.compressed_at is null
           and (m.tenant_id, m.user_id) > (owners.tenant_id, owners.user_id)
         order by m.tenant_id, m.user_id limit 1) as next
     )
     select tenant_id as "tenantId", user_id as "userId", exists (
       select from memories m where m.tenant_id = owners.tenant_id and m.user_id = owners.user_id
         and m.tier = 3 and m.is_current and m.compressed_at is null and m.scope = 'global'
         and m.stated_at < $3::timestamptz and ${begun('m')}) as "hasWork"
     from owners limit $4::integer`,
    [page.after.afterTenant, page.after.afterUser, page.until, page.limit],
  );
  return rows;
}

/**
 * The next users after `after` with memories, in order; `hasWork`: a memory of tier 1 or 2 has changed between the
 * user's last weekly run and `dueAt`, or a memory can fade. Jumps along memories_user_idx.
 */
export async function listKnowledgeOwners(
  sql: Sql,
  page: Readonly<{
    after: PeriodProgress;
    dueAt: Date;
    fadingCategories: readonly string[];
    limit: number;
  }>,
): Promise<Owner[]> {
  const { rows } = await sql.query<Owner>(
    `with recursive owners as (
       (select tenant_id, user_id from memories
        where is_current and (tenant_id, user_id) > ($1::uuid, $2::text)
        order by tenant_id, user_id limit 1)
       union all
       select next.* from owners cross join lateral (
         select m.tenant_id, m.user_id from memories m
         where m.is_current and (m.tenant_id, m.user_id) > (owners.tenant_id, owners.user_id)
         order by m.tenant_id, m.user_id limit 1) as next
     ), page as (select * from owners limit $5::integer)
     select page.tenant_id as "tenantId", page.user_id as "userId", exists (
       select from memories m where m.tenant_id = page.tenant_id and m.user_id = page.user_id and m.is_current
         and m.scope = 'global' and m.tier <= 2 and m.created_at < $3::timestamptz and ${begun('m')}
         and (m.category = any($4::text[]) or greatest(m.updated_at, m.valid_from) > coalesce(
           (select max(r.finished_at) from compression_runs r where r.tenant_id = page.tenant_id
              and r.user_id = page.user_id and r.kind = 'weekly' and r.state = 'done'), '-infinity'))) as "hasWork"
     from page`,
    [page.after.afterTenant, page.after.afterUser, page.dueAt, page.fadingCategories, page.limit],
  );
  return rows;
}
