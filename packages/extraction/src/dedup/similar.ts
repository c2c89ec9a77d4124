import type { Candidate, Tier } from '../types.ts';
import { comparePrecedence, isSameStatement } from './same-statement.ts';

/** A current memory for deduplication and reconciling. */
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

/** A similar current memory of a candidate; `similarity` is cosine. */
export type Neighbour = CurrentMemory & { similarity: number };

/** The input of similarity checks, in the order of the candidates. */
export type Similarity = {
  /** From this similarity on, two texts may be the same (the embedding profile's `duplicateSimilarity`). */
  duplicateSimilarity: number;
  /** Unit vectors; null where there is none. */
  vectors: readonly (readonly number[] | null)[];
  /** The similar memories of each candidate, best first. */
  neighbours: readonly (readonly Neighbour[])[];
};

/** Similarities are compared at the precision in which vectors are stored. */
const TOLERANCE = 1e-4;

/** The memory with the same statement as the candidate, or undefined; of several, the one with precedence. */
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
    .toSorted(comparePrecedence)[0];
}

/**
 * Maps each repeated candidate's index to the index of its original. The result does not depend on the order of the
 * candidates.
 *
 * @param indices the candidates to compare
 */
export function findRepeatedCandidates(
  candidates: readonly Candidate[],
  indices: readonly number[],
  { vectors, duplicateSimilarity }: Pick<Similarity, 'vectors' | 'duplicateSimilarity'>,
): Map<number, number> {
  const repeated = new Map<number, number>();
  const distinct: { index: number; candidate: Candidate; vector: readonly number[] }[] = [];
  const ordered = indices
    .flatMap((index) => {
      const candidate = candidates[index];
      const vector = vectors[index];
      return candidate === undefined || vector == null ? [] : [{ index, candidate, vector }];
    })
    .toSorted((a, b) => comparePrecedence(a.candidate, b.candidate));
  for (const one of ordered) {
    const original = distinct.find(
      ({ candidate, vector }) =>
        cosine(vector, one.vector) >= duplicateSimilarity - TOLERANCE &&
        isSameStatement(candidate, one.candidate),
    );
    if (original === undefined) distinct.push(one);
    else repeated.set(one.index, original.index);
  }
  return repeated;
}

/** Cosine similarity of two unit vectors. */
function cosine(left: readonly number[], right: readonly number[]): number {
  let sum = 0;
  for (let index = 0; index < left.length; index += 1) sum += (left[index] ?? 0) * (right[index] ?? 0);
  return sum;
}
