/**
 * The vector scaled to length 1, so that the dot product of two is their cosine similarity. A zero vector stays
 * zero. Components must be finite.
 */
export function toUnitVector(values: ArrayLike<number>): Float32Array {
  const components = Float64Array.from(values);
  const largest = components.reduce((most, value) => Math.max(most, Math.abs(value)), 0);
  if (largest === 0) return new Float32Array(values.length);
  // Divides by the largest component first: the squares of very large or very small components would overflow or
  // vanish.
  const scaled = components.map((value) => value / largest);
  const length = Math.sqrt(scaled.reduce((sum, value) => sum + value * value, 0));
  return Float32Array.from(scaled, (value) => value / length);
}
