/** Numbers from 0 to below 1 that are the same for the same seed (mulberry32). */
export function createRandom(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

/** Normally distributed (Box-Muller): mean 0, deviation 1. */
export function nextNormal(random: () => number): number {
  return Math.sqrt(-2 * Math.log(1 - random())) * Math.cos(2 * Math.PI * random());
}

/** In a random direction. */
export function nextVector(random: () => number, dimensions: number, length: number): number[] {
  const vector = Array.from({ length: dimensions }, () => nextNormal(random));
  const scale = length / Math.hypot(...vector);
  return vector.map((component) => component * scale);
}
