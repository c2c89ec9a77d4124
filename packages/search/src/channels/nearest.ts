import { candidateColumns, type CandidateRow, toHalfvec } from '@factmill/database';
import type { MemorySource, SearchTarget } from '../target.ts';

/** `similarity` is the cosine. */
export type VectorRow = CandidateRow & Readonly<{ similarity: number }>;

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

/** A query as a vector. */
export type QueryVector = Readonly<{
  search: VectorSearch;
  /** Cosine; what is below it is no hit, even where the search brings it. */
  cutoff: number;
  /** Whether the model reads a text: the vector of one that it does not read says nothing. */
  reads: (text: string) => boolean;
}>;

/** The nearest memories that a shortlist must not miss. */
export const K = 10;
/** Shorter bit codes say too little. */
export const MIN_CODE_BITS = 128;
/** How many standard deviations away a memory outside of the shortlist has to be from the k nearest. */
export const CONFIDENCE = 1;

/** The values in `$1` to `$6` of a statement about vectors. */
export function vectorValues(search: VectorSearch): unknown[] {
  const { tenantId, userId, model, vector, minSimilarity, limit } = search;
  return [tenantId, userId, model, toHalfvec(vector), minSimilarity, limit];
}

/**
 * A query for the memories of `near (id, distance)` in that order (memories_pkey), without those below a similarity,
 * until a limit is reached. `offset 0` keeps the planner from rearranging: without statistics it would read all
 * memories of the user for each of their vectors.
 *
 * @param minSimilarity, limit SQL of the two
 * @param condition what else has to hold of `near` and the memory `m`
 */
export function nearestVisible(
  source: MemorySource,
  {
    minSimilarity = '$5::float8',
    limit = '$6::integer',
    condition = 'true',
  }: Readonly<{ minSimilarity?: string; limit?: string; condition?: string }> = {},
): string {
  return `
  select ${candidateColumns('m')}, 1 - near.distance as similarity
  from (select * from near where near.distance <= 1 - ${minSimilarity}
    order by near.distance, near.id offset 0) as near
  cross join lateral (
    select m.* from ${source.byId('near.id')} as m where ${condition} and ${source.where('m')} offset 0
  ) as m
  order by near.distance, near.id
  limit ${limit}`;
}

/** What was compared, when bit codes chose it. */
export type Shortlisted = Readonly<{
  /** No vector outside of the shortlist differs in fewer bits. */
  maxHamming: number;
  /** The largest cosine distance in the shortlist; null when it has no vector any more. */
  farthest: number | null;
}>;

/**
 * Whether a shortlist may lack one of the k nearest, or one above the cutoff while there is room.
 *
 * Two vectors at an angle differ in the share `angle / π` of their bits, give or take the deviation of a binomial
 * share (the argument of random hyperplanes: Charikar, 2002). A vector as near as the k-th nearest that is not in the
 * shortlist would have to differ in more bits than that by `CONFIDENCE` deviations. Where vectors are not spread like
 * that (nearly all equally far, or sparse) the answer is yes.
 *
 * @param rows the nearest of the shortlist, nearest first
 */
export function mayLackNearest(
  { userId, dimensions, minSimilarity, limit }: VectorSearch,
  rows: readonly VectorRow[],
  { maxHamming, farthest }: Shortlisted,
): boolean {
  if (rows.length < limit && 1 - (farthest ?? 0) >= minSimilarity) return true;
  if (userId === null) return false;
  const similarity = rows[Math.min(K, limit) - 1]?.similarity ?? minSimilarity;
  return !isBeyond(maxHamming, similarity, dimensions);
}

/** Whether a vector with this Hamming distance is farther away than this similarity, with `CONFIDENCE`. */
export function isBeyond(hamming: number, similarity: number, dimensions: number): boolean {
  const share = Math.acos(Math.max(-1, Math.min(1, similarity))) / Math.PI;
  const deviation = Math.sqrt((share * (1 - share)) / dimensions);
  return hamming / dimensions - share >= CONFIDENCE * deviation;
}
