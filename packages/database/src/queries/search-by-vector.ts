import type { DatabasePool, Sql } from '../pool/sql.ts';
import { candidateColumns, type CandidateRow } from './memory-rows.ts';
import { toVectorText } from './vector-text.ts';
import { type MemorySource, memoriesOf, type SearchTarget } from './search-filters.ts';

export type VectorSearch = SearchTarget &
  Readonly<{
    /** Id in `embedding_models`, with its size. */
    model: string;
    dimensions: number;
    vector: readonly number[];
    /** Cosine; memories below it are left out. */
    minSimilarity: number;
    limit: number;
    /** Up to this many vectors of the user are compared one by one; default EXACT_LIMIT. */
    exactLimit?: number;
  }>;

export type VectorRow = CandidateRow & Readonly<{ similarity: number }>;

/**
 * Up to this many vectors of a user are compared one by one (384 dimensions: 8 ms at 5,000, 60 ms at 50,000). Beyond
 * it the approximate index answers, which is quicker and misses some: of a user with 50,000 of a million vectors it
 * found 90 % of the ten nearest, however far it was read (bench/README.md).
 */
export const EXACT_LIMIT = 50_000;

/** The most index entries the approximate search may visit: visiting more costs more than comparing all. */
const MOST_VISITED = 10_000;

/** For the exact search of a user of any size. */
const NO_LIMIT = 2_000_000_000;

/**
 * The user's visible memories nearest to the vector, nearest first, then by id. Complete inside the user: an
 * HNSW index alone would look at the nearest vectors of all users and return what few of them are this user's.
 */
export async function searchByVector(database: DatabasePool, search: VectorSearch): Promise<VectorRow[]> {
  // What the index holds is the present.
  if (search.asOf !== undefined) return searchAsOf(database, search);
  const exact = await searchExactly(database, search, search.exactLimit ?? EXACT_LIMIT);
  if (exact !== 'too_many') return exact;
  const nearest = await database.transaction((tx) => searchApproximately(tx, search));
  // The index gives up after MOST_VISITED entries, which narrow filters or a small share of the table exhaust.
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
const exactStatement = (search: SearchTarget, source: MemorySource) => `
  with owned as (
    select count(*) as vectors from (
      select 1 from memory_embeddings e
      where ${owner(search)} and e.model = $3::text
      limit $7::bigint + 1) as counted
  )
  select owned.vectors > $7::bigint as "tooMany", found.*
  from owned left join lateral (
    select ${candidateColumns('m')}, 1 - near.distance as similarity
    from (
      select e.memory_id, (e.embedding <=> $4::halfvec) + 0 as distance from memory_embeddings e
      where ${owner(search)} and e.model = $3::text
        and owned.vectors <= $7::bigint
      order by distance, e.memory_id offset 0
    ) as near cross join lateral (
      select * from memories m where m.id = near.memory_id and ${source.where('m')} offset 0
    ) as m
    where near.distance <= 1 - $5::float8
    order by near.distance, near.memory_id
    limit $6::integer
  ) as found on true`;

/** The vectors of one user, or of the whole tenant. */
function owner({ userId }: SearchTarget): string {
  return `e.tenant_id = $1::uuid and ${userId === null ? '$2::text is null' : 'e.user_id = $2::text'}`;
}

type ExactRow = (VectorRow | { id: null }) & { tooMany: boolean };

async function searchExactly(
  sql: Sql,
  search: VectorSearch,
  most: number,
): Promise<VectorRow[] | 'too_many'> {
  const source = memoriesOf(search, 8);
  const { rows } = await sql.query<ExactRow>(
    exactStatement(search, source),
    [
      search.tenantId,
      search.userId,
      search.model,
      toVectorText(search.vector),
      search.minSimilarity,
      search.limit,
      most,
      ...source.values,
    ],
    { name: `search_vector_exact${source.variant}` },
  );
  if (rows[0]?.tooMany === true) return 'too_many';
  return rows.filter((row): row is VectorRow & { tooMany: boolean } => row.id !== null);
}

/**
 * The model's HNSW index, read on until enough of this user's memories are found. The order is relaxed inside
 * the index, so twice as many are taken and sorted. The statement is not prepared by name: a plan without the
 * model's name in it could not use the model's partial index.
 */
function approximate(search: VectorSearch, source: MemorySource): string {
  const dimensions = Math.trunc(search.dimensions);
  const distance = `e.embedding::halfvec(${dimensions}) <=> $4::halfvec(${dimensions})`;
  return `
    with near as materialized (
      select e.memory_id, ${distance} as distance
      from memory_embeddings e join memories m on m.id = e.memory_id
      where ${owner(search)} and e.model = $3::text and ${source.where('m')}
      order by ${distance} limit 2 * $5::integer
    )
    select ${candidateColumns('m')}, 1 - near.distance as similarity
    from near join memories m on m.id = near.memory_id
    order by near.distance, near.memory_id limit $5::integer`;
}

async function searchApproximately(tx: Sql, search: VectorSearch): Promise<VectorRow[]> {
  // Local to the transaction: pooled connections, and the single session of embedded Postgres, stay as they were.
  await tx.query(
    `select set_config('hnsw.iterative_scan', 'relaxed_order', true), set_config('hnsw.ef_search', '200', true),
       set_config('hnsw.max_scan_tuples', $1::text, true)`,
    [String(MOST_VISITED)],
  );
  const source = memoriesOf(search, 6);
  const { rows } = await tx.query<VectorRow>(approximate(search, source), [
    search.tenantId,
    search.userId,
    search.model,
    toVectorText(search.vector),
    search.limit,
    ...source.values,
  ]);
  return rows;
}

/** The memories as they were, those whose vector still is of the same text, compared one by one. */
async function searchAsOf(sql: Sql, search: VectorSearch): Promise<VectorRow[]> {
  const source = memoriesOf(search, 7);
  const { rows } = await sql.query<VectorRow>(
    `select ${candidateColumns('m')}, 1 - (e.embedding <=> $4::halfvec) as similarity
     from ${source.relation} m
     join memory_embeddings e on e.memory_id = m.id and e.model = $3::text and e.content_hash = m.content_hash
     where ${source.where('m')} and 1 - (e.embedding <=> $4::halfvec) >= $5::float8
     order by similarity desc, m.id limit $6::integer`,
    [
      search.tenantId,
      search.userId,
      search.model,
      toVectorText(search.vector),
      search.minSimilarity,
      search.limit,
      ...source.values,
    ],
  );
  return rows;
}
