import { countDifferent, LANE_BYTES } from './count-different.ts';

/**
 * The signs of a user's vectors, as they were read at one time: beside the place of each in its table one bit for each
 * component, 1 where it is above 0.
 */
export type SignTable = Readonly<{
  size: number;
  dimensions: number;
  /** Of each place. */
  pages: Uint32Array;
  numbers: Uint16Array;
  /** One after the other, each in so many bytes; those behind the last component are 0. */
  codes: Uint8Array;
  bytesOfCode: number;
}>;

/** Of a row in its table: the page, and its number there. */
type Place = Readonly<{ page: number; number: number }>;

export type NearestBySigns = Readonly<{
  places: Place[];
  /** No vector that was left out differs in fewer signs; null when none was left out. */
  mostSigns: number | null;
}>;

/** What Postgres sends before the bits of a `bit varying`: how many there are. */
const LENGTH_BYTES = 4;
/** Of a place, as `tidsend` writes it. */
const PAGE_BYTES = 4;
const PLACE_BYTES = 6;

/** How many deviations a memory may differ in more signs than its angle makes likely, and be compared still. */
const MARGIN = 3;

/**
 * @param packed for each vector what `tidsend` and `varbit_send` make of its place and its signs
 * @throws RangeError when it is not that
 */
export function readSignTable(packed: Uint8Array, dimensions: number): SignTable {
  const codeBytes = Math.ceil(dimensions / 8);
  const recordBytes = PLACE_BYTES + LENGTH_BYTES + codeBytes;
  const size = packed.length / recordBytes;
  if (!Number.isInteger(size)) throw new RangeError('The signs are not of this many components.');
  const bytesOfCode = bytesOf(dimensions);
  const pages = new Uint32Array(size);
  const numbers = new Uint16Array(size);
  const codes = new Uint8Array(size * bytesOfCode);
  const view = new DataView(packed.buffer, packed.byteOffset, packed.byteLength);
  for (let row = 0; row < size; row += 1) {
    const at = row * recordBytes;
    pages[row] = view.getUint32(at);
    numbers[row] = view.getUint16(at + PAGE_BYTES);
    codes.set(packed.subarray(at + PLACE_BYTES + LENGTH_BYTES, at + recordBytes), row * bytesOfCode);
  }
  return { size, dimensions, pages, numbers, codes, bytesOfCode };
}

/** Bytes that a vector takes in a table. */
export function bytesOfVector(dimensions: number): number {
  return PLACE_BYTES + bytesOf(dimensions);
}

/** Bytes of a code. */
function bytesOf(dimensions: number): number {
  return LANE_BYTES * Math.ceil(dimensions / (8 * LANE_BYTES));
}

/** Bytes that a table takes. */
export function sizeOfTable({ pages, numbers, codes }: SignTable): number {
  return pages.byteLength + numbers.byteLength + codes.byteLength;
}

/**
 * The vectors with the fewest signs different from the vector's: all that may be among the `wanted` nearest, so far as
 * signs tell, but no fewer than `least` and no more than `most`.
 */
export function nearestBySigns(
  table: SignTable,
  vector: readonly number[],
  { wanted, least, most }: Readonly<{ wanted: number; least: number; most: number }>,
): NearestBySigns {
  const { size, dimensions } = table;
  const distances = countDifferent(table, codeOf(vector, table.bytesOfCode));
  const histogram = new Uint32Array(dimensions + 1);
  // By number: an iterator takes as long as comparing did.
  for (let row = 0; row < size; row += 1) {
    const distance = distances[row] ?? 0;
    histogram[distance] = (histogram[distance] ?? 0) + 1;
  }

  const farthestWanted = distanceOfPlace(histogram, wanted);
  const share = farthestWanted / dimensions;
  const reach = farthestWanted + MARGIN * Math.sqrt(share * (1 - share) * dimensions);
  let within = 0;
  for (let distance = 0; distance <= reach; distance += 1) within += histogram[distance] ?? 0;
  const compared = Math.min(most, Math.max(least, within));
  const placeOf = (row: number) => ({ page: table.pages[row] ?? 0, number: table.numbers[row] ?? 0 });
  if (compared >= size)
    return { places: Array.from({ length: size }, (_, row) => placeOf(row)), mostSigns: null };

  const mostSigns = distanceOfPlace(histogram, compared);
  // Of those that differ in as many signs as the last, only so many that are left when all nearer ones have a place.
  let nearer = 0;
  for (let distance = 0; distance < mostSigns; distance += 1) nearer += histogram[distance] ?? 0;
  let ties = compared - nearer;
  const places: Place[] = [];
  for (let row = 0; places.length < compared && row < size; row += 1) {
    const distance = distances[row] ?? 0;
    if (distance < mostSigns || (distance === mostSigns && (ties -= 1) >= 0)) places.push(placeOf(row));
  }
  return { places, mostSigns };
}

/** As `binary_quantize` has it: the first component is the highest bit of the first byte. */
function codeOf(vector: readonly number[], bytesOfCode: number): Uint8Array {
  const bytes = new Uint8Array(bytesOfCode);
  vector.forEach((component, at) => {
    if (component > 0) bytes[at >> 3] = (bytes[at >> 3] ?? 0) | (0x80 >> (at & 7));
  });
  return bytes;
}

/** The distance of the one at a place, counted from 1, when they are in order. */
function distanceOfPlace(histogram: Uint32Array, place: number): number {
  let count = 0;
  for (let distance = 0; distance < histogram.length; distance += 1) {
    count += histogram[distance] ?? 0;
    if (count >= place) return distance;
  }
  return histogram.length - 1;
}
