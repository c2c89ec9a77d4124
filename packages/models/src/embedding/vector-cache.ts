import { createHash } from 'node:crypto';
import { LRUCache } from 'lru-cache';

export type VectorCache = Readonly<{
  get: (text: string) => Float32Array | undefined;
  set: (text: string, vector: Float32Array) => void;
}>;

/**
 * The vectors of the most recently used texts. 2,000 vectors of 512 floats are 4 MB. Keys are hashes, so that the
 * cache holds no conversation text.
 */
export function createVectorCache(max: number): VectorCache {
  const vectors = new LRUCache<string, Float32Array>({ max });
  return {
    get: (text) => vectors.get(hashText(text)),
    set: (text, vector) => {
      vectors.set(hashText(text), vector);
    },
  };
}

function hashText(text: string): string {
  return createHash('sha256').update(text).digest('base64');
}
