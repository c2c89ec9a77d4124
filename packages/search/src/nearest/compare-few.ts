import type { Sql } from '@factmill/database';
import { memoriesOf } from '../target.ts';
import { inOrder, type VectorRow } from './compared.ts';
import { ownerOf, valuesOf } from './owner.ts';
import type { UserVectorSearch } from './search-by-vector.ts';

/**
 * Compares all vectors of a user who has no more than so many. A statement for nothing else: one that is made for users
 * of all sizes takes half as long again. Null for a user with more.
 */
export async function compareFew(
  sql: Sql,
  search: UserVectorSearch,
  most: number,
): Promise<VectorRow[] | null> {
  const source = memoriesOf(search, 8, { anyUser: true });
  const { rows } = await sql.query<(VectorRow | { id: null }) & { vectors: number }>(
    `with near as materialized (
       select e.memory_id, (e.embedding <=> $4::halfvec) + 0 as distance from memory_embeddings e
       where ${ownerOf(search)} and e.model = $3::text limit $7::integer + 1
     )
     select counted.vectors, found.*
     from (select count(*)::integer as vectors from near) as counted
     left join lateral (
       ${inOrder(source)}
     ) as found on counted.vectors <= $7::integer`,
    [...valuesOf(search), most, ...source.values],
    { name: `search_few${source.variant}` },
  );
  const [first] = rows;
  if (first === undefined || first.vectors > most) return null;
  return rows.filter((row): row is typeof row & VectorRow => row.id !== null);
}
