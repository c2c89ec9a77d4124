import type { Sql } from '../pool/sql.ts';
import { claimByTenant, lockDue, type TenantRow } from './claim-by-tenant.ts';

/** Rows of work that should be in the queue. */
type OpenRows = Readonly<{
  table: 'extractions' | 'compression_runs' | 'replay_runs';
  /** Columns: since when a row that was never tried waits, and the order of the rows. */
  since: string;
  order: string;
  /** SQL: whether a row `r` is the first of those that are done one after the other. */
  isFirst: string;
  /** Select list of a row `r`. */
  returning: string;
}>;

/** Up to `limit` open rows that no sweeper has checked for `graceMs`, marked as checked. */
export function takeUnchecked<Row extends TenantRow>(
  sql: Sql,
  { graceMs, limit }: Readonly<{ graceMs: number; limit: number }>,
  { table, since, order, isFirst, returning }: OpenRows,
): Promise<Row[]> {
  const due = (grace: string) => `r.state in ('pending', 'active')
    and coalesce(case when r.state = 'active' then r.lease_until else r.next_attempt_at end, r.${since})
        < now() - ${grace}::integer * interval '1 millisecond'
    and (r.queue_checked_at is null or r.queue_checked_at < now() - ${grace}::integer * interval '1 millisecond')
    and ${isFirst}`;
  return claimByTenant(
    limit,
    async (most) => {
      const { rows } = await sql.query<TenantRow>(
        `select r.tenant_id as "tenantId", r.id from ${table} r where ${due('$1')}
         order by r.${order} limit $2::integer`,
        [graceMs, most],
      );
      return rows;
    },
    async (tenantId, ids) => {
      const { rows } = await sql.query<Row>(
        `with due as (${lockDue(table, due('$3'))})
         update ${table} r set queue_checked_at = now() from due
         where r.tenant_id = $1::uuid and r.id = due.id
         returning ${returning}`,
        [tenantId, ids, graceMs],
      );
      return rows;
    },
  );
}
