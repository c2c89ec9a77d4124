import type { Sql } from '../pool/sql.ts';
import { memoryColumns, type MemoryRow } from './memory-rows.ts';
import type { SearchTarget } from './search-filters.ts';

/**
 * The whole memories that a search has chosen, in no order: as they are, or as they were at the target's moment. The
 * search has already decided which of them may be seen, so nothing else is filtered. Uses memories_pkey.
 */
export async function loadFound(
  sql: Sql,
  { tenantId, userId, asOf }: Pick<SearchTarget, 'tenantId' | 'userId' | 'asOf'>,
  memoryIds: readonly string[],
): Promise<MemoryRow[]> {
  if (memoryIds.length === 0) return [];
  const relation =
    asOf === undefined ? 'memories' : 'memories_as_of($1::uuid, $3::text, $4::timestamptz, $5::timestamptz)';
  const { rows } = await sql.query<MemoryRow>(
    `select ${memoryColumns('m')} from ${relation} m where m.tenant_id = $1::uuid and m.id = any($2::uuid[])`,
    [tenantId, memoryIds, ...(asOf === undefined ? [] : [userId, asOf.validAt, asOf.knownAt])],
    { name: asOf === undefined ? 'load_found' : 'load_found_as_of' },
  );
  return rows;
}
