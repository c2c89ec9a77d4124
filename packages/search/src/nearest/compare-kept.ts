import type { Sql } from '@factmill/database';
import { MOST_WRITTEN } from '../kept/kept.ts';
import { toTids } from '../resident/uuids.ts';
import { memoriesOf } from '../target.ts';
import { type Compared, type ComparedRow, inOrder, toCompared, WANTED } from './compared.ts';
import type { KeptTable } from './kept-signs.ts';
import { ownerOf, valuesOf } from './owner.ts';
import type { UserVectorSearch } from './search-by-vector.ts';
import { nearestBySigns } from './sign-table.ts';

/** So many are compared, or so many for each result: where a wider circle is needed, more. */
const LEAST_COMPARED = 100;
const MOST_COMPARED = 600;
const COMPARED_PER_RESULT = 3;

/**
 * Compares the vectors that a kept table has nearest by their signs, read at their places, and all that were written
 * since it was read. A vector that is gone, or was replaced, is not at its place any more; what has taken the place
 * since is among those written since, or of somebody else. Null when too much was written since, or when the places are
 * of another file. How many places there are is kept from the planner (`select`), which would rather read a small
 * table whole.
 */
export async function compareKept(
  sql: Sql,
  search: UserVectorSearch,
  { table, since, file }: KeptTable,
): Promise<Compared | null> {
  const { places, mostSigns } = nearestBySigns(table, search.vector, {
    wanted: Math.min(WANTED, search.limit),
    least: Math.max(LEAST_COMPARED, COMPARED_PER_RESULT * search.limit),
    most: Math.max(MOST_COMPARED, COMPARED_PER_RESULT * search.limit),
  });
  const source = memoriesOf(search, 10, { anyUser: true });
  const { rows } = await sql.query<ComparedRow & { written: number; isSameFile: boolean }>(
    `with written as materialized (
       select e.memory_id, (e.embedding <=> $4::halfvec) + 0 as distance from memory_embeddings e
       where ${ownerOf(search)} and e.model = $3::text
         and e.written >= $8::xid8 and e.written < pg_snapshot_xmax(pg_current_snapshot())
       limit ${MOST_WRITTEN + 1}
     ), kept as materialized (
       select e.memory_id, (e.embedding <=> $4::halfvec) + 0 as distance from memory_embeddings e
       where e.ctid = any((select $7::tid[])::tid[]) and ${ownerOf(search)} and e.model = $3::text
     ), near as materialized (
       select * from kept
       union all
       select * from written where written.memory_id not in (select kept.memory_id from kept)
     )
     select counted.*, found.*
     from (
       select max(near.distance) as farthest, (select count(*) from written)::integer as written,
         pg_relation_filenode('memory_embeddings')::bigint = $9::bigint as "isSameFile" from near
     ) as counted
     left join lateral (
       ${inOrder(source)}
     ) as found on true`,
    [...valuesOf(search), toTids(places), since, file, ...source.values],
    { name: `search_kept${source.variant}` },
  );
  const [first] = rows;
  if (first === undefined || first.written > MOST_WRITTEN || !first.isSameFile) return null;
  return toCompared(search, rows, mostSigns);
}
