import { type BitCodes, bytesOfCode } from './estimate-similarities.ts';

/** Codes of vectors, as `binary_quantize` makes them: zero is not above zero. */
export function codesOf(vectors: readonly (readonly number[])[], dimensions: number): BitCodes {
  const width = bytesOfCode(dimensions);
  const bytes = new Uint8Array(vectors.length * width);
  vectors.forEach((vector, row) => {
    vector.forEach((component, at) => {
      const place = row * width + (at >> 3);
      if (component > 0) bytes[place] = (bytes[place] ?? 0) | (0x80 >> (at & 7));
    });
  });
  return { size: vectors.length, dimensions, bytes };
}
