import { createHash } from 'node:crypto';

/**
 * A deterministic vector of length 1 for a text: the sum of one pseudo-random direction per word. Texts that share
 * words are similar, texts that share none are nearly orthogonal; word order, case and punctuation do not count.
 */
export function toWordVector(text: string, dimensions: number): number[] {
  const words = text.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? [''];
  const vector = Array.from({ length: dimensions }, () => 0);
  for (const word of words) addDirection(vector, word);
  const length = Math.hypot(...vector);
  return vector.map((component) => (length === 0 ? 0 : component / length));
}

/** Adds ±1 in every dimension, one bit of a hash each. */
function addDirection(vector: number[], word: string): void {
  let bytes: Buffer = Buffer.alloc(0);
  for (let index = 0; index < vector.length; index += 1) {
    const bit = index % 256;
    if (bit === 0) bytes = createHash('sha256').update(`${word} ${index}`).digest();
    vector[index] = (vector[index] ?? 0) + (((bytes[bit >> 3] ?? 0) >> (bit & 7)) & 1 ? 1 : -1);
  }
}
