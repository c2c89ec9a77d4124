import type { Sql } from '../pool/sql.ts';

/** How often a memory was returned, and when last. */
export type Access = Readonly<{ tenantId: string; memoryId: string; count: number; lastAt: Date }>;

/**
 * Adds access counts, tenant by tenant. All callers lock rows in the same order, so that two batches never wait for each
 * other.
 */
export async function recordAccesses(sql: Sql, accesses: readonly Access[]): Promise<void> {
  for (const [tenantId, own] of Map.groupBy(accesses, (access) => access.tenantId)) {
    await sql.query(
      `with given as (
         select * from unnest($1::uuid[], $2::integer[], $3::timestamptz[]) as g (id, count, last_at)
       ), locked as materialized (
         select m.id from (select id from given order by id offset 0) as g cross join lateral (
           select id from memories where id = g.id and tenant_id = $4::uuid for no key update) as m
       )
       update memories m set access_count = m.access_count + given.count,
         last_accessed_at = greatest(m.last_accessed_at, given.last_at)
       from given join locked using (id) where m.id = given.id and m.tenant_id = $4::uuid`,
      [
        own.map(({ memoryId }) => memoryId),
        own.map(({ count }) => count),
        own.map(({ lastAt }) => lastAt),
        tenantId,
      ],
      { name: 'record_accesses' },
    );
  }
}
