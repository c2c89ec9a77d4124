import type { Sql } from '../pool/sql.ts';

/** How often a memory was returned, and when last. */
export type Access = Readonly<{ memoryId: string; count: number; lastAt: Date }>;

/** Adds access counts. All callers lock rows in the same order, so that two batches never wait for each other. */
export async function recordAccesses(sql: Sql, accesses: readonly Access[]): Promise<void> {
  if (accesses.length === 0) return;
  await sql.query(
    `with given as (
       select * from unnest($1::uuid[], $2::integer[], $3::timestamptz[]) as g (id, count, last_at)
     ), locked as materialized (
       select m.id from memories m join given on given.id = m.id order by m.id for no key update of m
     )
     update memories m set access_count = m.access_count + given.count,
       last_accessed_at = greatest(m.last_accessed_at, given.last_at)
     from given join locked using (id) where m.id = given.id`,
    [
      accesses.map(({ memoryId }) => memoryId),
      accesses.map(({ count }) => count),
      accesses.map(({ lastAt }) => lastAt),
    ],
    { name: 'record_accesses' },
  );
}
