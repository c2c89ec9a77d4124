import type { Candidate, Tier } from '../types.ts';
import { compareStanding, isSameStatement } from './same-statement.ts';

/** A current memory as dedup and reconciling see it. */
export type CurrentMemory = Pick<
  Candidate,
  | 'kind'
  | 'category'
  | 'key'
  | 'value'
  | 'content'
  | 'question'
  | 'answer'
  | 'tags'
  | 'importance'
  | 'confidence'
  | 'messageIds'
  | 'statedAt'
> & { id: string; tier: Tier; /** Hex. */ contentHash: string };

/** A current memory next to a candidate; `similarity` is cosine. */
export type Neighbour = CurrentMemory & { similarity: number };

/** What similarity needs to know, in the order of the candidates. */
export type Similarity = {
  /** From here on two texts may be one (the embedding profile's `duplicateSimilarity`). */
  duplicateSimilarity: number;
  /** Unit vectors; null where there is none. */
  vectors: readonly (readonly number[] | null)[];
  /** The memories next to each candidate, the nearest first. */
  neighbours: readonly (readonly Neighbour[])[];
};

/** Similarities are compared at the precision in which vectors are stored. */
const TOLERANCE = 1e-4;

/** The memory that says what the candidate says, or undefined: of several the one that stands for them. */
export function findDuplicate(
  candidate: Candidate,
  neighbours: readonly Neighbour[],
  duplicateSimilarity: number,
): Neighbour | undefined {
  return neighbours
    .filter(
      (neighbour) =>
        neighbour.similarity >= duplicateSimilarity - TOLERANCE && isSameStatement(candidate, neighbour),
    )
    .toSorted(compareStanding)[0];
}

/**
 * Duplicates among candidates: the index of each that another one stands for → the index of that one. The result is
 * the same for every order of the candidates.
 *
 * @param indices the candidates to look at
 */
export function collapseCandidates(
  candidates: readonly Candidate[],
  indices: readonly number[],
  { vectors, duplicateSimilarity }: Pick<Similarity, 'vectors' | 'duplicateSimilarity'>,
): Map<number, number> {
  const collapsed = new Map<number, number>();
  const kept: { index: number; candidate: Candidate; vector: readonly number[] }[] = [];
  const ordered = indices
    .flatMap((index) => {
      const candidate = candidates[index];
      const vector = vectors[index];
      return candidate === undefined || vector == null ? [] : [{ index, candidate, vector }];
    })
    .toSorted((a, b) => compareStanding(a.candidate, b.candidate));
  for (const one of ordered) {
    const standing = kept.find(
      ({ candidate, vector }) =>
        cosine(vector, one.vector) >= duplicateSimilarity - TOLERANCE &&
        isSameStatement(candidate, one.candidate),
    );
    if (standing === undefined) kept.push(one);
    else collapsed.set(one.index, standing.index);
  }
  return collapsed;
}

/** Of two unit vectors. */
function cosine(left: readonly number[], right: readonly number[]): number {
  let sum = 0;
  for (let index = 0; index < left.length; index += 1) sum += (left[index] ?? 0) * (right[index] ?? 0);
  return sum;
}
