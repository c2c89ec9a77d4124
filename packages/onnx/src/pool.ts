import type { Pooling } from './protocol.ts';

/** What a model returned for one run: the vectors of all tokens, text by text. */
export type TokenVectors = Readonly<{
  values: Float32Array;
  /** Tokens of the longest text; shorter ones are padded at the end. */
  tokens: number;
  dimensions: number;
}>;

/**
 * Writes the vector of one text to `target`.
 *
 * @param text which text of the run
 * @param length how many of its tokens are not padding, at least 1
 */
export function poolText(
  { values, tokens, dimensions }: TokenVectors,
  text: number,
  length: number,
  pooling: Pooling,
  target: Float32Array,
): void {
  const first = text * tokens * dimensions;
  const vectorAt = (token: number) =>
    values.subarray(first + token * dimensions, first + (token + 1) * dimensions);
  if (pooling === 'cls' || pooling === 'lasttoken') {
    target.set(vectorAt(pooling === 'cls' ? 0 : length - 1));
    return;
  }
  target.set(vectorAt(0));
  for (let token = 1; token < length; token += 1) {
    const vector = vectorAt(token);
    for (let index = 0; index < dimensions; index += 1) {
      const value = vector[index] ?? 0;
      const soFar = target[index] ?? 0;
      target[index] = pooling === 'mean' ? soFar + value : Math.max(soFar, value);
    }
  }
  if (pooling === 'mean')
    for (let index = 0; index < dimensions; index += 1) target[index] = (target[index] ?? 0) / length;
}
