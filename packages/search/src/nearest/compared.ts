import { candidateColumns, type CandidateRow } from '@factmill/database';
import type { MemorySource } from '../target.ts';
import { tellsNearest } from './sign-distance.ts';

export type VectorRow = CandidateRow & Readonly<{ similarity: number }>;

/** What was found by comparing, and whether no memory that was not compared can be among it, so far as signs tell. */
export type Compared = Readonly<{ rows: VectorRow[]; isSafe: boolean }>;

/** A memory, or none where nothing was found, beside what was compared. */
export type ComparedRow = (VectorRow | { id: null }) & {
  /** Of the distances that were computed; null when there were none. */
  farthest: number | null;
};

/** The results that must not be missed for others that are nearer. */
export const WANTED = 10;

/**
 * A query for the memories of `near (memory_id, distance)` in that order (memories_pkey), those below the similarity in
 * `$5` left out, until there are as many as in `$6`. `offset 0` keeps the planner from rearranging: without statistics
 * it would read all memories of the user for each of their vectors.
 *
 * @param condition what else has to hold of `near` and the memory `m`
 */
export const inOrder = (source: MemorySource, condition = 'true') => `
  select ${candidateColumns('m')}, 1 - near.distance as similarity
  from (select * from near where near.distance <= 1 - $5::float8
    order by near.distance, near.memory_id offset 0) as near
  cross join lateral (
    select m.* from ${source.byId('near.memory_id')} as m where ${condition} and ${source.where('m')} offset 0
  ) as m
  order by near.distance, near.memory_id
  limit $6::integer`;

/**
 * @param mostSigns no memory that was not compared differs in fewer signs; null when all were compared
 * @param rows the nearest of those compared, nearest first, or one without a memory
 */
export function toCompared(
  search: Readonly<{ userId: string | null; dimensions: number; minSimilarity: number; limit: number }>,
  rows: readonly ComparedRow[],
  mostSigns: number | null,
): Compared {
  const found = rows.filter((row): row is ComparedRow & VectorRow => row.id !== null);
  return {
    rows: found,
    isSafe: mostSigns === null || isSafe(search, found, mostSigns, rows[0]?.farthest ?? 0),
  };
}

function isSafe(
  { userId, dimensions, minSimilarity, limit }: Parameters<typeof toCompared>[0],
  rows: readonly VectorRow[],
  mostSigns: number,
  farthest: number,
): boolean {
  // With room left, what was compared has to reach down to the cutoff.
  if (rows.length < limit && 1 - farthest >= minSimilarity) return false;
  const wanted = rows[Math.min(WANTED, limit) - 1]?.similarity ?? minSimilarity;
  return userId === null || tellsNearest(mostSigns, wanted, dimensions);
}
