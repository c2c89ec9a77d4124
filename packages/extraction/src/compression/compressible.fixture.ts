import { contentHash } from '../content-hash.ts';
import type { Compressible } from './compressible.ts';

/** A memory with the content given, a note of tier 2 said on 2 May 2026 unless told. */
export function compressible(
  id: string,
  content: string,
  given: Partial<Omit<Compressible, 'id' | 'content' | 'contentHash'>> = {},
): Compressible {
  return {
    id,
    kind: 'note',
    tier: 2,
    category: 'general',
    key: null,
    content,
    contentHash: contentHash(content),
    project: null,
    topic: null,
    importance: 0.5,
    statedAt: new Date('2026-05-02T10:00:00Z'),
    updatedAt: new Date('2026-05-02T10:00:00Z'),
    ...given,
  };
}

/** By id, as the decisions want them. */
export function currentOf(memories: readonly Compressible[]): ReadonlyMap<string, Compressible> {
  return new Map(memories.map((memory) => [memory.id, memory]));
}
