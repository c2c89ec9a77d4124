import { candidateColumns, type Sql, toHalfvec } from '@factmill/database';
import { memoriesOf, type MemorySource } from '../target.ts';
import type { VectorRow } from './compared.ts';
import { ownerOf } from './owner.ts';
import type { VectorSearch } from './search-by-vector.ts';

/** Twice as many neighbours are looked for as wanted, so that some of them may be out of date; pgvector's upper bound. */
const LEAST_EF = 100;
const MOST_EF = 1_000;
/** The most entries of an index by distance that a search may visit: visiting more costs more than comparing all. */
const MOST_VISITED = 10_000;

/**
 * The statement is not prepared by name: a plan without the user's and the model's name in it could not use the
 * partial index. The settings of the index come first (`settings.are_set` has to be known before the index is read)
 * and hold for this statement only: pooled connections stay as they were.
 */
function indexStatement(search: VectorSearch, source: MemorySource): string {
  const dimensions = Math.trunc(search.dimensions);
  const distance = `e.embedding::halfvec(${dimensions}) <=> $4::halfvec(${dimensions})`;
  return `
    with settings as materialized (
      select length(set_config('hnsw.iterative_scan', 'relaxed_order', true)
        || set_config('hnsw.max_scan_tuples', $6::text, true)
        || set_config('hnsw.ef_search', $7::text, true)) > 0 as are_set
    ), near as materialized (
      select e.* from settings cross join lateral (
        select e.memory_id, ${distance} as distance
        from memory_embeddings e cross join lateral ${source.byId('e.memory_id')} as m
        where settings.are_set and ${ownerOf(search)} and e.model = $3::text and ${source.where('m')}
        order by ${distance} limit $5::integer) as e
    )
    select ${candidateColumns('m')}, 1 - near.distance as similarity
    from near join memories m on m.id = near.memory_id
    order by near.distance, near.memory_id limit $5::integer`;
}

/** The user's HNSW index, read on until enough memories are found, nearest first, whatever their similarity. */
export async function compareByIndex(sql: Sql, search: VectorSearch): Promise<VectorRow[]> {
  const source = memoriesOf(search, 8);
  const { rows } = await sql.query<VectorRow>(indexStatement(search, source), [
    search.tenantId,
    search.userId,
    search.model,
    toHalfvec(search.vector),
    search.limit,
    String(MOST_VISITED),
    String(Math.min(MOST_EF, Math.max(LEAST_EF, 2 * search.limit))),
    ...source.values,
  ]);
  return rows;
}
