import { CONFIDENCE } from '../channels/nearest.ts';
import {
  type BitCodes,
  deviationOfEstimate,
  ESTIMATE_OF_ONE,
  estimateSimilarities,
} from './estimate-similarities.ts';
import { createScratch } from './scratch.ts';

export type Shortlist = Readonly<{
  /** Places of codes. */
  places: number[];
  /** No code outside of the shortlist has a higher estimate, as a cosine; null when there is none outside. */
  highestOutside: number | null;
  /**
   * Places outside of the shortlist that are to be read as well where a vector of this similarity is the k-th nearest,
   * with their estimates, the highest first; null when they are more than `max`.
   */
  beyond: (similarity: number, max: number) => Estimated[] | null;
}>;

/** A place and its estimate, as a cosine. */
type Estimated = Readonly<{ place: number; estimate: number }>;

export type ShortlistBounds = Readonly<{
  /** The shortlist must not miss one of so many nearest. */
  k: number;
  /** Cosine; what is less similar is not looked for. */
  minSimilarity: number;
  /** How many there are at least, where so many may be similar enough, and at most. */
  min: number;
  max: number;
}>;

/** How many standard deviations a code may have a lower estimate than it should have, and be on the shortlist still. */
const OVERFETCH_DEVIATIONS = 3.5;
/** The same for a code outside, against what is known to be the k-th nearest, where many are about as near. */
const BEYOND_DEVIATIONS = 2;

/**
 * The codes whose vectors are the most similar to the query by estimate: all that may be among the `k` nearest, so far
 * as bit codes tell.
 *
 * @param isAllowed whether the vector at a place is looked for at all
 */
export function shortlistByEstimate(
  codes: BitCodes,
  vector: readonly number[],
  { k, minSimilarity, min, max }: ShortlistBounds,
  isAllowed: (place: number) => boolean = () => true,
): Shortlist {
  const { size, dimensions } = codes;
  if (size <= min) {
    const places = Array.from({ length: size }, (_, place) => place).filter(isAllowed);
    return { places, highestOutside: null, beyond: () => [] };
  }
  const estimates = estimateSimilarities(codes, vector);
  const ranked = createHistogram();
  for (let place = 0; place < size; place += 1) {
    if (isAllowed(place)) ranked.add(estimates[place] ?? 0);
  }
  const lowestLikely = (similarity: number) =>
    (similarity - OVERFETCH_DEVIATIONS * deviationOfEstimate(similarity, dimensions)) * ESTIMATE_OF_ONE;
  const wanted = Math.max(min, ranked.countFrom(lowestLikely(ranked.ofRank(k) / ESTIMATE_OF_ONE)));
  const count = Math.min(max, wanted, ranked.countFrom(lowestLikely(minSimilarity)));

  const lowest = ranked.ofRank(count);
  // Of those with the lowest estimate, as many as all higher ones leave room for.
  let ties = count - ranked.countFrom(lowest + 1);
  const places: number[] = [];
  for (let place = 0; places.length < count && place < size; place += 1) {
    const estimate = estimates[place] ?? 0;
    if (estimate < lowest || !isAllowed(place)) continue;
    if (estimate > lowest || (ties -= 1) >= 0) places.push(place);
  }
  return {
    places,
    highestOutside: cosineOf(ranked.ofRank(count + 1), ranked.size() - count),
    beyond: (similarity, max) => {
      const listed = new Set(places);
      const isOutside = (place: number) => isAllowed(place) && !listed.has(place);
      return placesFrom(codes, vector, leastBeyond(similarity, dimensions), max, isOutside);
    },
  };
}

/** The places with at least this estimate, as a cosine, the highest first; null when they are more than `max`. */
function placesFrom(
  codes: BitCodes,
  vector: readonly number[],
  least: number,
  max: number,
  isAllowed: (place: number) => boolean,
): Estimated[] | null {
  const estimates = estimateSimilarities(codes, vector);
  const found: Estimated[] = [];
  for (let place = 0; place < codes.size; place += 1) {
    const estimate = (estimates[place] ?? 0) / ESTIMATE_OF_ONE;
    if (estimate < least || !isAllowed(place)) continue;
    if (found.length === max) return null;
    found.push({ place, estimate });
  }
  return found.sort((a, b) => b.estimate - a.estimate);
}

/** A code with a lower estimate than this is not as near as a vector of this similarity. */
export function leastBeyond(similarity: number, dimensions: number): number {
  return similarity - BEYOND_DEVIATIONS * deviationOfEstimate(similarity, dimensions);
}

/**
 * Whether no vector outside of a shortlist is as similar as this: such a one would have a higher estimate than all of
 * them, unless it deviates by more than `CONFIDENCE` standard deviations.
 */
export function isBeyondShortlist(
  { highestOutside }: Pick<Shortlist, 'highestOutside'>,
  similarity: number,
  dimensions: number,
): boolean {
  const deviation = deviationOfEstimate(similarity, dimensions);
  return highestOutside === null || similarity - highestOutside >= CONFIDENCE * deviation;
}

function cosineOf(estimate: number, count: number): number | null {
  return count === 0 ? null : estimate / ESTIMATE_OF_ONE;
}

const countsScratch = createScratch((length) => new Uint32Array(length));

/** How many codes have each estimate; only one at a time. */
function createHistogram() {
  const counts = countsScratch(2 * ESTIMATE_OF_ONE + 1).fill(0);
  let size = 0;
  return {
    add(estimate: number): void {
      counts[estimate + ESTIMATE_OF_ONE] = (counts[estimate + ESTIMATE_OF_ONE] ?? 0) + 1;
      size += 1;
    },
    size: () => size,
    /** The estimate of the code with a rank, counted from 1 at the highest; the lowest there can be beyond the last. */
    ofRank(rank: number): number {
      let count = 0;
      for (let at = counts.length - 1; at >= 0; at -= 1) {
        count += counts[at] ?? 0;
        if (count >= rank) return at - ESTIMATE_OF_ONE;
      }
      return -ESTIMATE_OF_ONE;
    },
    /** How many have an estimate as high as this. */
    countFrom(estimate: number): number {
      let count = 0;
      for (let at = counts.length - 1; at >= 0 && at - ESTIMATE_OF_ONE >= estimate; at -= 1)
        count += counts[at] ?? 0;
      return count;
    },
  };
}
