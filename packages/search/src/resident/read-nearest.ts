import { type Sql, toHalfvec } from '@factmill/database';
import { K, nearestVisible, type VectorRow, type VectorSearch } from '../channels/nearest.ts';
import { memoriesOf } from '../target.ts';
import { isBeyondShortlist, leastBeyond, type Shortlist } from './shortlist.ts';
import { idsOf, type UserIndex } from './user-index.ts';
import { toUuids } from './uuids.ts';

/** A search by vector, and what is read of an index for it: `ids` are those of the shortlist. */
export type VectorPlan = VectorSearch & Readonly<{ shortlist: Shortlist; ids: Buffer }>;

/** Vectors of one statement beyond the shortlist: on embedded storage a statement holds up all others. */
const CHUNK = 250;
/** At most so many, or this share of all: reading more by their ids takes as long as the exact scan does. */
const MAX_BEYOND = 600;
const MAX_BEYOND_SHARE = 1 / 4;
/** A distance made from a similarity may be a little smaller than the one that made it. */
const ROUNDING = 1e-9;

export const bySimilarity = (a: VectorRow, b: VectorRow) =>
  b.similarity - a.similarity || (a.id < b.id ? -1 : 1);

/**
 * The nearest memories, of which those of the shortlist were read: where bit codes tell too little, the next ones by
 * their estimates are read, some at a time, until no other may be among the nearest.
 *
 * @param rows the nearest of the shortlist, nearest first
 * @returns `incomplete` when an exact scan takes less time
 */
export async function readNearest(
  sql: Sql,
  index: UserIndex,
  plan: VectorPlan,
  rows: VectorRow[],
): Promise<VectorRow[] | 'incomplete'> {
  const { shortlist, limit, minSimilarity, dimensions } = plan;
  const kthOf = (nearest: readonly VectorRow[]) =>
    (nearest.length < limit ? undefined : nearest[Math.min(K, limit) - 1]?.similarity) ?? minSimilarity;
  if (isBeyondShortlist(shortlist, kthOf(rows), dimensions)) return rows;
  const max = Math.max(MAX_BEYOND, Math.floor(MAX_BEYOND_SHARE * index.codes.size));
  const beyond = shortlist.beyond(kthOf(rows), max);
  if (beyond === null) return 'incomplete';
  let nearest = rows;
  for (let from = 0; from < beyond.length; from += CHUNK) {
    const chunk = beyond.slice(from, from + CHUNK);
    if ((chunk[0]?.estimate ?? -1) < leastBeyond(kthOf(nearest), dimensions)) break;
    const ids = idsOf(
      index,
      chunk.map(({ place }) => index.rowOfCode[place] ?? 0),
    );
    const more = await readByIds(sql, plan, ids, nearest);
    const known = new Set(nearest.map(({ id }) => id));
    nearest = [...nearest, ...more.filter(({ id }) => !known.has(id))].sort(bySimilarity).slice(0, limit);
  }
  return nearest;
}

/** Those of the memories that are nearer than the farthest of so many as are wanted (memory_embeddings_pkey, memories_pkey). */
async function readByIds(
  sql: Sql,
  search: VectorSearch,
  ids: Buffer,
  nearest: readonly VectorRow[],
): Promise<VectorRow[]> {
  const { tenantId, userId, model, vector, limit, minSimilarity } = search;
  const source = memoriesOf(search, 8, { anyUser: true });
  const farthest = nearest.length < limit ? undefined : nearest.at(-1)?.similarity;
  const least = farthest === undefined ? minSimilarity : farthest - ROUNDING;
  const { rows } = await sql.query<VectorRow>(
    `with near as materialized (
       select e.memory_id as id, (e.embedding <=> $4::halfvec) + 0 as distance
       from unnest((select $7::uuid[])) as given (id) cross join lateral (
         select * from memory_embeddings
         where memory_id = given.id and model = $3::text and tenant_id = $1::uuid offset 0) as e
     )
     ${nearestVisible(source)}`,
    [tenantId, userId, model, toHalfvec(vector), least, limit, toUuids(ids), ...source.values],
    { name: `read_nearest${source.variant}` },
  );
  return rows;
}
