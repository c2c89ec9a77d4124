import type { DatabasePool, Sql } from '../pool/sql.ts';
import { candidateColumns, type CandidateRow } from './memory-rows.ts';
import { tellsNearest } from './sign-distance.ts';
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
  }>;

export type VectorRow = CandidateRow & Readonly<{ similarity: number }>;

/** Up to so many vectors of a user are compared one by one: more quickly than by signs. */
const ALWAYS_EXACT = 1_000;
/** For an exact search of a user of any size. */
const NO_LIMIT = 2_000_000_000;

/** Of more, those with the fewest different signs: so many, or so many for each result. */
const LEAST_COMPARED = 300;
const COMPARED_PER_RESULT = 3;
/** Of the vectors of all users. */
const COMPARED_OF_ALL = 1_000;
/** The results that must not be missed for others that are nearer. */
const WANTED = 10;
/** Fewer signs than this tell too little. */
const LEAST_SIGNS = 128;

/** Twice as many neighbours are looked for as wanted, so that some of them may be out of date; pgvector's upper bound. */
const LEAST_EF = 100;
const MOST_EF = 1_000;
/** The most entries of an index by distance that a search may visit: visiting more costs more than comparing all. */
const MOST_VISITED = 10_000;

/**
 * The user's visible memories nearest to the vector, nearest first, then by id. Complete inside the user: the few
 * vectors of a small user are compared one by one; of the thousands of a larger one those that are nearest by their
 * signs; one with tens of thousands has an HNSW index of its own (`embedding_indexes`). Where signs tell too little,
 * or filters leave less than an index finds, all are compared. Of all users the nearest by signs are the answer.
 */
export async function searchByVector(database: DatabasePool, search: VectorSearch): Promise<VectorRow[]> {
  if (search.asOf !== undefined) return searchAsOf(database, search);
  const { isFiltered } = memoriesOf(search, 1);
  const tellsBySigns = !isFiltered && search.dimensions >= LEAST_SIGNS;
  const found = await searchDirectly(database, search, tellsBySigns ? ALWAYS_EXACT : NO_LIMIT, true);
  if (found !== 'indexed') return found.isSafe ? found.rows : comparedOneByOne(database, search);
  const nearest = await database.transaction((tx) => searchApproximately(tx, search));
  // The index gives up after MOST_VISITED entries, which narrow filters exhaust.
  if (nearest.length < search.limit) return comparedOneByOne(database, search);
  return nearest.filter((row) => row.similarity >= search.minSimilarity);
}

async function comparedOneByOne(sql: Sql, search: VectorSearch): Promise<VectorRow[]> {
  const found = await searchDirectly(sql, search, NO_LIMIT, false);
  return found === 'indexed' ? [] : found.rows;
}

/**
 * Distances to all of the user's vectors, or to those nearest by their signs, then the memories in that order
 * (memories_pkey) until the limit is reached; all from memory_embeddings_near_idx. `+ 0` keeps the ordering away from
 * HNSW indexes, `offset 0` the planner from rearranging: without it a filter on memories is checked for every vector.
 * The signs of the query are found once, in a subquery. One row without a memory says what was compared when nothing
 * is found.
 */
const directStatement = (search: SearchTarget, source: MemorySource) => `
  with owned as materialized (
    select counted.vectors, counted.vectors > $7::bigint as "bySigns",
      $9::boolean and exists (select from embedding_indexes i where i.tenant_id = $1::uuid
        and i.user_id = $2::text and i.model = $3::text and i.ready_at is not null) as indexed
    from (select count(*) as vectors from (
      select 1 from memory_embeddings e where ${owner(search)} and e.model = $3::text
      limit $7::bigint + 1) as first_ones) as counted
  ), near as materialized (
    select e.memory_id, (e.embedding <=> $4::halfvec) + 0 as distance, null::float8 as signs
    from owned cross join lateral (
      select * from memory_embeddings e where ${owner(search)} and e.model = $3::text
        and not owned."bySigns" and not owned.indexed offset 0) as e
    union all
    select e.memory_id, (e.embedding <=> $4::halfvec) + 0, nearly.signs
    from owned cross join lateral (
      select e.memory_id, e.code <~> (select binary_quantize($4::halfvec)) as signs
      from memory_embeddings e where ${owner(search)} and e.model = $3::text
        and owned."bySigns" and not owned.indexed
      order by signs limit $8::integer
    ) as nearly cross join lateral (
      select * from memory_embeddings e where e.memory_id = nearly.memory_id and e.model = $3::text offset 0) as e
  )
  select owned.indexed, farthest.signs as "mostSigns", farthest.distance as farthest, found.*
  from owned cross join (
    select max(near.signs) as signs, max(near.distance) as distance from near
  ) as farthest left join lateral (
    select ${candidateColumns('m')}, 1 - near.distance as similarity
    from (select * from near where near.distance <= 1 - $5::float8
      order by near.distance, near.memory_id offset 0) as near
    cross join lateral (
      select * from memories m where m.id = near.memory_id and ${source.where('m')} offset 0
    ) as m
    order by near.distance, near.memory_id
    limit $6::integer
  ) as found on true`;

/** The vectors of one user, or of the whole tenant. */
function owner({ userId }: SearchTarget): string {
  return `e.tenant_id = $1::uuid and ${userId === null ? '$2::text is null' : 'e.user_id = $2::text'}`;
}

type DirectRow = (VectorRow | { id: null }) & {
  indexed: boolean;
  /** Of those compared by signs, how many differ at most; null when all were compared one by one. */
  mostSigns: number | null;
  /** Of the distances that were computed; null when there were none. */
  farthest: number | null;
};

/**
 * @param most so many vectors are compared one by one, those of a user with more by their signs first
 * @param mayUseIndex whether a user with an index by distance is left to that
 */
async function searchDirectly(
  sql: Sql,
  search: VectorSearch,
  most: number,
  mayUseIndex: boolean,
): Promise<Readonly<{ rows: VectorRow[]; isSafe: boolean }> | 'indexed'> {
  const source = memoriesOf(search, 10, { anyUser: true });
  const { rows } = await sql.query<DirectRow>(
    directStatement(search, source),
    [
      search.tenantId,
      search.userId,
      search.model,
      toVectorText(search.vector),
      search.minSimilarity,
      search.limit,
      most,
      Math.max(search.userId === null ? COMPARED_OF_ALL : LEAST_COMPARED, COMPARED_PER_RESULT * search.limit),
      mayUseIndex,
      ...source.values,
    ],
    { name: `search_vector${source.variant}` },
  );
  const [first] = rows;
  if (first === undefined || first.indexed) return 'indexed';
  const found = rows.filter((row): row is DirectRow & VectorRow => row.id !== null);
  return { rows: found, isSafe: isSafe(search, first, found) };
}

/** Whether no memory that was not compared can be among the results, so far as signs tell. */
function isSafe(
  { userId, dimensions, minSimilarity, limit }: VectorSearch,
  { mostSigns, farthest }: DirectRow,
  rows: readonly VectorRow[],
): boolean {
  if (mostSigns === null) return true;
  // With room left, what was compared has to reach down to the cutoff.
  if (rows.length < limit && 1 - (farthest ?? 0) >= minSimilarity) return false;
  const wanted = rows[Math.min(WANTED, limit) - 1]?.similarity ?? minSimilarity;
  return userId === null || tellsNearest(mostSigns, wanted, dimensions);
}

/**
 * The user's HNSW index, read on until enough memories are found. The statement is not prepared by name: a plan
 * without the user's and the model's name in it could not use the partial index.
 */
function approximate(search: VectorSearch, source: MemorySource): string {
  const dimensions = Math.trunc(search.dimensions);
  const distance = `e.embedding::halfvec(${dimensions}) <=> $4::halfvec(${dimensions})`;
  return `
    with near as materialized (
      select e.memory_id, ${distance} as distance
      from memory_embeddings e join memories m on m.id = e.memory_id
      where ${owner(search)} and e.model = $3::text and ${source.where('m')}
      order by ${distance} limit $5::integer
    )
    select ${candidateColumns('m')}, 1 - near.distance as similarity
    from near join memories m on m.id = near.memory_id
    order by near.distance, near.memory_id limit $5::integer`;
}

async function searchApproximately(tx: Sql, search: VectorSearch): Promise<VectorRow[]> {
  // Local to the transaction: pooled connections, and the single session of embedded Postgres, stay as they were.
  await tx.query(
    `select set_config('hnsw.iterative_scan', 'relaxed_order', true), set_config('hnsw.ef_search', $2::text, true),
       set_config('hnsw.max_scan_tuples', $1::text, true)`,
    [String(MOST_VISITED), String(Math.min(MOST_EF, Math.max(LEAST_EF, 2 * search.limit)))],
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
