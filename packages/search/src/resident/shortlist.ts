import { CONFIDENCE } from '../channels/nearest.ts';
import {
  type BitCodes,
  deviationOfEstimate,
  ESTIMATE_OF_ONE,
  estimateSimilarities,
} from './estimate-similarities.ts';

export type Shortlist = Readonly<{
  /** Places of codes. */
  places: number[];
  /** No code outside of the shortlist has a higher estimate, as a cosine; null when there is none outside. */
  highestOutside: number | null;
}>;

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
  return { places, highestOutside: cosineOf(ranked.ofRank(count + 1), ranked.size() - count) };
}

/**
 * Whether no vector outside of a shortlist is as similar as this: such a one would have a higher estimate than all of
 * them, unless it deviates by more than `CONFIDENCE` standard deviations.
 */
export function isBeyondShortlist(
  { highestOutside }: Shortlist,
  similarity: number,
  dimensions: number,
): boolean {
  const deviation = deviationOfEstimate(similarity, dimensions);
  return highestOutside === null || similarity - highestOutside >= CONFIDENCE * deviation;
}

function cosineOf(estimate: number, count: number): number | null {
  return count === 0 ? null : estimate / ESTIMATE_OF_ONE;
}

/** How many codes have each estimate. */
function createHistogram() {
  const counts = new Uint32Array(2 * ESTIMATE_OF_ONE + 1);
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
