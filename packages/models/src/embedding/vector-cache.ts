import { createHash } from 'node:crypto';

export type VectorCache = Readonly<{
  get: (text: string) => Float32Array | undefined;
  set: (text: string, vector: Float32Array) => void;
}>;

/**
 * Keeps the vectors of the most recently used texts. 2,000 vectors of 512 floats are 4 MB. Keys are hashes, so that
 * no conversation text stays in memory for the sake of it.
 */
export function createVectorCache(maxEntries: number): VectorCache {
  // A Map iterates in insertion order: re-inserting on use keeps the least recently used one first.
  const entries = new Map<string, Float32Array>();
  return {
    get: (text) => {
      const key = hashText(text);
      const vector = entries.get(key);
      if (vector) {
        entries.delete(key);
        entries.set(key, vector);
      }
      return vector;
    },
    set: (text, vector) => {
      const key = hashText(text);
      entries.delete(key);
      entries.set(key, vector);
      if (entries.size <= maxEntries) return;
      const oldest = entries.keys().next();
      if (!oldest.done) entries.delete(oldest.value);
    },
  };
}

function hashText(text: string): string {
  return createHash('sha256').update(text).digest('base64');
}
