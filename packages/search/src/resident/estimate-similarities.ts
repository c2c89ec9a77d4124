import { createScratch } from './scratch.ts';

/** Bit codes of one length, one after the other, as `binary_quantize` makes them: the first bit is the highest. */
export type BitCodes = Readonly<{
  size: number;
  dimensions: number;
  /** Of each code as many as it needs; the rest of the last one is 0. */
  words: Uint32Array;
}>;

/** An estimate of 1. */
export const ESTIMATE_OF_ONE = 4_096;

const estimatesScratch = createScratch((length) => new Int16Array(length));
const sumsScratch = createScratch((length) => new Int16Array(length));

/** Words of 32 bits of a code. */
export function wordsOfCode(dimensions: number): number {
  return Math.ceil(dimensions / 32);
}

/**
 * Estimates the cosine similarity of each code's vector to a query, as a multiple of 1 / ESTIMATE_OF_ONE: each bit
 * weighs as much as the query's component, and counts for or against as it has the same sign or not. Because the query
 * keeps its components, an estimate deviates about half as much as one from the Hamming distance does.
 * 5,000 codes of 384 bits take 0.2 ms, of which the tables take 0.03.
 *
 * @returns numbers that the next call overwrites
 */
export function estimateSimilarities(
  { size, dimensions, words }: BitCodes,
  query: readonly number[],
): Int16Array {
  const bytes = 4 * wordsOfCode(dimensions);
  const sums = sumsByByte(query, bytes);
  const estimates = estimatesScratch(size);
  for (let code = 0, at = 0; code < size; code += 1) {
    let sum = 0;
    for (let table = 0; table < 256 * bytes; table += 1_024, at += 1) {
      const word = words[at] ?? 0;
      sum +=
        (sums[table + (word >>> 24)] ?? 0) +
        (sums[table + 256 + ((word >>> 16) & 255)] ?? 0) +
        (sums[table + 512 + ((word >>> 8) & 255)] ?? 0) +
        (sums[table + 768 + (word & 255)] ?? 0);
    }
    // Rounding may take it a little beyond.
    estimates[code] = Math.max(-ESTIMATE_OF_ONE, Math.min(ESTIMATE_OF_ONE, sum));
  }
  return estimates.subarray(0, size);
}

/** Sums are made in this fraction of an estimate's unit. */
const FRACTION_BITS = 12;
const HALF = 1 << (FRACTION_BITS - 1);

/** For each byte of a code, what each of its 256 values adds to the estimate. */
function sumsByByte(query: readonly number[], width: number): Int16Array {
  const length = query.reduce((sum, component) => sum + Math.abs(component), 0);
  const sums = sumsScratch(256 * width);
  const ofByte = new Int32Array(128);
  for (let byte = 0; byte < width; byte += 1) {
    // The first component is the highest bit.
    const componentOf = (bit: number) => {
      const share = length === 0 ? 0 : (query[8 * byte + 7 - bit] ?? 0) / length;
      return Math.round(share * (ESTIMATE_OF_ONE << FRACTION_BITS));
    };
    let none = -componentOf(7);
    for (let bit = 0; bit < 7; bit += 1) none -= componentOf(bit);
    ofByte[0] = none;
    for (let bit = 0; bit < 7; bit += 1) {
      const twice = 2 * componentOf(bit);
      const values = 1 << bit;
      for (let value = 0; value < values; value += 1) ofByte[values + value] = (ofByte[value] ?? 0) + twice;
    }
    // All bits turned round, a value adds the opposite.
    for (let value = 0; value < 128; value += 1) {
      const sum = ((ofByte[value] ?? 0) + HALF) >> FRACTION_BITS;
      sums[256 * byte + value] = sum;
      sums[256 * byte + 255 - value] = -sum;
    }
  }
  return sums;
}

/**
 * How far the estimate of a vector with this similarity deviates: the standard deviation where components point in
 * random directions (Gao and Long, RaBitQ, 2024).
 */
export function deviationOfEstimate(similarity: number, dimensions: number): number {
  return Math.sqrt(((1 - Math.min(1, similarity ** 2)) * (Math.PI / 2 - 1)) / dimensions);
}
