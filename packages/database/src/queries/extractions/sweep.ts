import type { Sql } from '../../pool/sql.ts';
import type { TenantRow } from '../claim-by-tenant.ts';
import { openExtractions } from './open-extractions.ts';
import { takeUnchecked } from '../take-unchecked.ts';

/** A ledger row that should be in the queue. */
export type OpenExtraction = Readonly<{ id: string; tenantId: string; generation: number }>;

/**
 * Up to `limit` open rows that no sweeper has checked for `graceMs`: waiting ones that are due and the first of their
 * conversation, and active ones whose lease has expired. Marks them as checked, so that concurrent sweepers take
 * different rows and a long backlog is checked page by page. Uses extractions_open_idx and
 * extractions_conversation_open_idx.
 */
export function takeUnattended(
  sql: Sql,
  options: Readonly<{ graceMs: number; limit: number }>,
): Promise<OpenExtraction[]> {
  return takeUnchecked<OpenExtraction>(sql, options, {
    table: 'extractions',
    since: 'accepted_at',
    order: 'accepted_no',
    // As a value, which is looked up row by row; as a join it may read all that is open for each row.
    isFirst: `${openExtractions('r')} and coalesce(r.accepted_no <= (
      select min(o.accepted_no) from extractions o
      where o.tenant_id = r.tenant_id and o.conversation_id = r.conversation_id
        and o.state in ('pending', 'active')), true)`,
    returning: 'r.id, r.tenant_id as "tenantId", r.generation',
  });
}

/** The ids among these that the queue limit has dropped, each looked up by its whole key. */
export async function findDropped(sql: Sql, extractions: readonly TenantRow[]): Promise<string[]> {
  const { rows } = await sql.query<{ id: string }>(
    `select one.id from unnest($1::uuid[], $2::uuid[]) as w (tenant_id, id) cross join lateral (
       select e.id from extractions e
       where e.tenant_id = w.tenant_id and e.id = w.id and e.state = 'dropped' offset 0) as one`,
    [extractions.map(({ tenantId }) => tenantId), extractions.map(({ id }) => id)],
  );
  return rows.map((row) => row.id);
}

export type LedgerStatistics = Readonly<{
  pending: number;
  active: number;
  /** Of the pending ones, those that wait because a budget is used up. */
  deferred: number;
  /** Seconds since the oldest waiting extraction was accepted that more workers would help; 0 when none waits. */
  oldestPendingSeconds: number;
}>;

/** Number and age of open extractions, over all tenants. Uses extractions_open_idx. */
export function readLedgerStatistics(sql: Sql): Promise<LedgerStatistics> {
  return sql.one<LedgerStatistics>(
    `select count(*) filter (where state = 'pending')::integer as pending,
            count(*) filter (where state = 'active')::integer as active,
            count(*) filter (where state = 'pending' and deferred_until > now())::integer as deferred,
            coalesce(extract(epoch from now() - min(accepted_at) filter (
              where state = 'pending' and coalesce(deferred_until <= now(), true))), 0)::float8
              as "oldestPendingSeconds"
     from extractions e where ${openExtractions('e')}`,
  );
}
