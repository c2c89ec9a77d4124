/** Uniform numbers in [0, 1) that are the same for the same seed (mulberry32). */
export function createRandom(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
}

/** The seeds of this run: 1 to FAULT_SEEDS. */
export function faultSeeds(): number[] {
  return Array.from({ length: Number(process.env['FAULT_SEEDS'] ?? 1) }, (_, index) => index + 1);
}
