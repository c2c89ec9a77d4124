import {
  fitting,
  type Listed,
  MEMORY_BYTES,
  memoryAsOf,
  memoryColumns,
  type MemoryRow,
  type Sql,
} from '@factmill/database';
import type { SearchTarget } from './target.ts';

/** `isCut`: there are more, which did not fit into an answer. */
type Hydrated = Readonly<{ rows: MemoryRow[]; isCut: boolean }>;

/**
 * The whole memories that a search has chosen, in their order and as many as fit into an answer: as they are, or as
 * they were at the target's moment. The search has already decided which of them may be seen, so nothing else is
 * filtered. Uses memories_pkey.
 */
export async function hydrate(
  sql: Sql,
  { tenantId, asOf }: Pick<SearchTarget, 'tenantId' | 'asOf'>,
  memoryIds: readonly string[],
): Promise<Hydrated> {
  if (memoryIds.length === 0) return { rows: [], isCut: false };
  const relation =
    asOf === undefined
      ? `unnest($2::uuid[]) as found (id) cross join lateral (
           select * from memories where id = found.id and tenant_id = $1::uuid offset 0)`
      : `unnest($2::uuid[]) as found (id) cross join lateral
         ${memoryAsOf('found.id', { validAt: '$3::timestamptz', knownAt: '$4::timestamptz' })}`;
  const { rows } = await sql.query<MemoryRow & Listed>(
    fitting(
      `select ${memoryColumns('m')} from ${relation} as m where m.tenant_id = $1::uuid
       order by array_position($2::uuid[], m.id)`,
      MEMORY_BYTES,
    ),
    [tenantId, memoryIds, ...(asOf === undefined ? [] : [asOf.validAt, asOf.knownAt])],
    { name: asOf === undefined ? 'hydrate' : 'hydrate_as_of' },
  );
  return { rows, isCut: rows.at(-1)?.more === true };
}
