import { type BitCodes, wordsOfCode } from './estimate-similarities.ts';

/** Codes of vectors, as `binary_quantize` makes them: zero is not above zero. */
export function codesOf(vectors: readonly (readonly number[])[], dimensions: number): BitCodes {
  const width = wordsOfCode(dimensions);
  const words = new Uint32Array(vectors.length * width);
  vectors.forEach((vector, row) => {
    vector.forEach((component, at) => {
      const place = row * width + (at >> 5);
      if (component > 0) words[place] = (words[place] ?? 0) | (0x8000_0000 >>> (at & 31));
    });
  });
  return { size: vectors.length, dimensions, words };
}
