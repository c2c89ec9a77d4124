import type { Sql } from '@factmill/database';
import { memoriesOf, type MemorySource, type SearchTarget } from '../target.ts';
import { type Compared, type ComparedRow, inOrder, toCompared } from './compared.ts';
import { ownerOf, valuesOf } from './owner.ts';
import type { VectorSearch } from './search-by-vector.ts';

/** Of more, those with the fewest different signs: so many, or so many for each result. */
const LEAST_COMPARED = 300;
const COMPARED_PER_RESULT = 3;
/** Of the vectors of all users. */
const COMPARED_OF_ALL = 1_000;

/**
 * Distances to all of the user's vectors, or to those nearest by their signs, then the memories in that order
 * (memories_pkey) until the limit is reached; all from memory_embeddings_near_idx. `offset 0` keeps the planner
 * from rearranging: without it a filter on memories is checked for every vector.
 * With filters the memories that pass are found first: to look up each memory of thousands costs more than its distance.
 * The signs of the query are found once, in a subquery. One row without a memory says what was compared when nothing
 * is found.
 */
const directStatement = (search: SearchTarget, source: MemorySource) => `
  with owned as materialized (
    select counted.vectors, counted.vectors > $7::bigint as "bySigns"
    from (select count(*) as vectors from (
      select 1 from memory_embeddings e where ${ownerOf(search)} and e.model = $3::text
      limit $7::bigint + 1) as first_ones) as counted
  )${source.isFiltered ? `, wanted as materialized (select m.id from memories m where ${source.where('m')})` : ''},
  near as materialized (
    select e.memory_id, (e.embedding <=> $4::halfvec) + 0 as distance, null::float8 as signs
    from owned cross join lateral (
      select * from memory_embeddings e where ${ownerOf(search)} and e.model = $3::text
        and not owned."bySigns"
        ${source.isFiltered ? 'and (e.memory_id in (select id from wanted)) is true' : ''} offset 0) as e
    union all
    select e.memory_id, (e.embedding <=> $4::halfvec) + 0, nearly.signs
    from owned cross join lateral (
      select e.memory_id, e.code <~> (select binary_quantize($4::halfvec)) as signs
      from memory_embeddings e where ${ownerOf(search)} and e.model = $3::text
        and owned."bySigns"
      order by signs limit $8::integer
    ) as nearly cross join lateral (
      select * from memory_embeddings e where e.memory_id = nearly.memory_id and e.model = $3::text offset 0) as e
  )
  select owned.vectors, farthest.signs as "mostSigns", farthest.distance as farthest, found.*
  from owned cross join (
    select max(near.signs) as signs, max(near.distance) as distance from near
  ) as farthest left join lateral (
    ${inOrder(source)}
  ) as found on true`;

type DirectRow = ComparedRow & {
  /** How many the owner has, counted up to one more than are compared one by one. */
  vectors: number;
  /** Of those compared by signs, how many differ at most; null when all were compared one by one. */
  mostSigns: number | null;
};

/**
 * The memories nearest to the vector, in one statement.
 *
 * @param most so many vectors are compared one by one, those of a user with more by their signs first
 */
export async function compareDirectly(
  sql: Sql,
  search: VectorSearch,
  most: number,
): Promise<Compared & Readonly<{ vectors: number }>> {
  const source = memoriesOf(search, 9, { anyUser: true });
  const { rows } = await sql.query<DirectRow>(
    directStatement(search, source),
    [
      ...valuesOf(search),
      most,
      Math.max(search.userId === null ? COMPARED_OF_ALL : LEAST_COMPARED, COMPARED_PER_RESULT * search.limit),
      ...source.values,
    ],
    { name: `search_vector${source.variant}` },
  );
  const [first] = rows;
  return { ...toCompared(search, rows, first?.mostSigns ?? null), vectors: first?.vectors ?? 0 };
}
