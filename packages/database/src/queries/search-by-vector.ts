import type { SearchFilters } from '@factmill/contracts';
import type { DatabasePool, Sql } from '../pool/sql.ts';
import { toVectorText } from './embeddings.ts';
import { memoryColumns, type MemoryRow } from './memory-rows.ts';
import { filterValues, searchable } from './search-filters.ts';

export type VectorSearch = Readonly<{
  tenantId: string;
  userId: string;
  /** Id in `embedding_models`, with its size. */
  model: string;
  dimensions: number;
  vector: readonly number[];
  /** Cosine; memories below it are left out. */
  minSimilarity: number;
  filters: SearchFilters;
  limit: number;
}>;

export type VectorRow = MemoryRow & Readonly<{ similarity: number }>;

/**
 * Up to this many vectors of a user are compared one by one (10 ms at 5,000 vectors of 384 dimensions); beyond
 * it the approximate index is quicker. Also the most index entries the approximate search may visit, as visiting
 * more costs more than comparing that many.
 */
export const EXACT_LIMIT = 10_000;

/** For the exact search of a user of any size. */
const NO_LIMIT = 2_000_000_000;

/**
 * The user's visible memories nearest to the vector, nearest first, then by id. Complete inside the user: an
 * HNSW index alone would look at the nearest vectors of all users and return what few of them are this user's.
 */
export async function searchByVector(database: DatabasePool, search: VectorSearch): Promise<VectorRow[]> {
  const exact = await searchExactly(database, search, EXACT_LIMIT);
  if (exact !== 'too_many') return exact;
  const nearest = await database.transaction((tx) => searchApproximately(tx, search));
  // The index gives up after EXACT_LIMIT entries, which narrow filters or a small share of the table exhaust.
  if (nearest.length < search.limit) {
    const complete = await searchExactly(database, search, NO_LIMIT);
    if (complete !== 'too_many') return complete;
  }
  return nearest.filter((row) => row.similarity >= search.minSimilarity);
}

/**
 * Distances to all of the user's vectors (memory_embeddings_user_idx), then the memories in that order
 * (memories_pkey) until the limit is reached. `+ 0` keeps the ordering away from the HNSW index, `offset 0` the
 * planner from rearranging: without it a filter on memories is checked for every vector. One row without a
 * memory says how many vectors there are when nothing is found.
 */
const EXACT = `
  with owned as (
    select count(*) as vectors from (
      select 1 from memory_embeddings e
      where e.tenant_id = $1::uuid and e.user_id = $2::text and e.model = $3::text
      limit $7::bigint + 1) as counted
  )
  select owned.vectors > $7::bigint as "tooMany", found.*
  from owned left join lateral (
    select ${memoryColumns('m')}, 1 - near.distance as similarity
    from (
      select e.memory_id, (e.embedding <=> $4::halfvec) + 0 as distance from memory_embeddings e
      where e.tenant_id = $1::uuid and e.user_id = $2::text and e.model = $3::text
        and owned.vectors <= $7::bigint
      order by distance, e.memory_id offset 0
    ) as near cross join lateral (
      select * from memories m where m.id = near.memory_id and ${searchable('m', 8)} offset 0
    ) as m
    where near.distance <= 1 - $5::float8
    order by near.distance, near.memory_id
    limit $6::integer
  ) as found on true`;

type ExactRow = (VectorRow | { id: null }) & { tooMany: boolean };

async function searchExactly(
  sql: Sql,
  search: VectorSearch,
  most: number,
): Promise<VectorRow[] | 'too_many'> {
  const { rows } = await sql.query<ExactRow>(
    EXACT,
    [
      search.tenantId,
      search.userId,
      search.model,
      toVectorText(search.vector),
      search.minSimilarity,
      search.limit,
      most,
      ...filterValues(search.filters),
    ],
    { name: 'search_vector_exact' },
  );
  if (rows[0]?.tooMany === true) return 'too_many';
  return rows.filter((row): row is VectorRow & { tooMany: boolean } => row.id !== null);
}

/**
 * The model's HNSW index, read on until enough of this user's memories are found. The order is relaxed inside
 * the index, so twice as many are taken and sorted. The statement is not prepared by name: a plan without the
 * model's name in it could not use the model's partial index.
 */
function approximate(dimensions: number): string {
  const distance = `e.embedding::halfvec(${dimensions}) <=> $4::halfvec(${dimensions})`;
  return `
    with near as materialized (
      select e.memory_id, ${distance} as distance
      from memory_embeddings e join memories m on m.id = e.memory_id
      where e.tenant_id = $1::uuid and e.user_id = $2::text and e.model = $3::text and ${searchable('m', 6)}
      order by ${distance} limit 2 * $5::integer
    )
    select ${memoryColumns('m')}, 1 - near.distance as similarity
    from near join memories m on m.id = near.memory_id
    order by near.distance, near.memory_id limit $5::integer`;
}

async function searchApproximately(tx: Sql, search: VectorSearch): Promise<VectorRow[]> {
  // Local to the transaction: pooled connections, and the single session of embedded Postgres, stay as they were.
  await tx.query(
    `select set_config('hnsw.iterative_scan', 'relaxed_order', true), set_config('hnsw.ef_search', '200', true),
       set_config('hnsw.max_scan_tuples', $1::text, true)`,
    [String(EXACT_LIMIT)],
  );
  const { rows } = await tx.query<VectorRow>(approximate(Math.trunc(search.dimensions)), [
    search.tenantId,
    search.userId,
    search.model,
    toVectorText(search.vector),
    search.limit,
    ...filterValues(search.filters),
  ]);
  return rows;
}
