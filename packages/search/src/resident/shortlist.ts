import { type BitCodes, hammingDistances, toBitCode } from './hamming.ts';

export type Shortlist = Readonly<{
  /** Places of codes. */
  places: number[];
  /** No code outside of the shortlist has a smaller distance; null when there is none outside. */
  maxHamming: number | null;
}>;

/** How many standard deviations a code may be farther than its angle makes likely, and be on the shortlist still. */
const OVERFETCH_DEVIATIONS = 2.5;

/**
 * The codes with the smallest Hamming distance to the vector's: all that may be among the `k` nearest, so far as bit
 * codes tell, but no fewer than `min` and no more than `max`.
 */
export function shortlistByHamming(
  codes: BitCodes,
  vector: readonly number[],
  { k, min, max }: Readonly<{ k: number; min: number; max: number }>,
): Shortlist {
  const { size, dimensions } = codes;
  if (size <= min) return { places: Array.from({ length: size }, (_, place) => place), maxHamming: null };
  const distances = hammingDistances(codes, toBitCode(vector));
  const histogram = new Uint32Array(dimensions + 1);
  // By number: an iterator takes as long as comparing did.
  for (let place = 0; place < size; place += 1) {
    const distance = distances[place] ?? 0;
    histogram[distance] = (histogram[distance] ?? 0) + 1;
  }
  const distanceOfKth = distanceOfRank(histogram, k);
  const share = distanceOfKth / dimensions;
  const reach = distanceOfKth + OVERFETCH_DEVIATIONS * Math.sqrt(share * (1 - share) * dimensions);
  const count = Math.min(max, Math.max(min, countWithin(histogram, reach)));
  if (count >= size) return { places: Array.from({ length: size }, (_, place) => place), maxHamming: null };

  const maxHamming = distanceOfRank(histogram, count);
  // Of those as far as the last one, as many as all nearer ones leave room for.
  let ties = count - countWithin(histogram, maxHamming - 1);
  const places: number[] = [];
  for (let place = 0; places.length < count && place < size; place += 1) {
    const distance = distances[place] ?? 0;
    if (distance < maxHamming || (distance === maxHamming && (ties -= 1) >= 0)) places.push(place);
  }
  return { places, maxHamming };
}

function countWithin(histogram: Uint32Array, reach: number): number {
  let count = 0;
  for (let distance = 0; distance <= reach && distance < histogram.length; distance += 1) {
    count += histogram[distance] ?? 0;
  }
  return count;
}

/** The distance of the code with a rank, counted from 1. */
function distanceOfRank(histogram: Uint32Array, rank: number): number {
  let count = 0;
  for (let distance = 0; distance < histogram.length; distance += 1) {
    count += histogram[distance] ?? 0;
    if (count >= rank) return distance;
  }
  return histogram.length - 1;
}
