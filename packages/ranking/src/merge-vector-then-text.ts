/** How a hit was found. */
type SearchChannel = 'vector' | 'text';

/** `similarity` is the cosine, -1 to 1. */
export type VectorHit<Item> = Readonly<{ id: string; item: Item; similarity: number }>;

/** `score` is 0 to 1, comparable within one search only. */
export type TextHit<Item> = Readonly<{ id: string; item: Item; score: number }>;

export type MergedHit<Item> = Readonly<{
  id: string;
  item: Item;
  score: number;
  similarity?: number;
  channels: readonly SearchChannel[];
}>;

/**
 * Vector hits first, by similarity; then the other text hits by score, up to `limit`. A hit of both keeps its
 * vector rank and names both channels. Equal hits keep their order.
 *
 * Scores run from 1 to 0 and never rise along the list: a vector hit's is its similarity; text scores are scaled to
 * at most the last vector hit's, because the two scales are not comparable.
 */
export function mergeVectorThenText<Item>(
  vectorHits: readonly VectorHit<Item>[],
  textHits: readonly TextHit<Item>[],
  limit: number,
): MergedHit<Item>[] {
  const textIds = new Set(textHits.map((hit) => hit.id));
  const merged = new Map<string, MergedHit<Item>>();
  let floor = 1;
  for (const { id, item, similarity } of [...vectorHits].sort((a, b) => b.similarity - a.similarity)) {
    if (merged.size >= limit || merged.has(id)) continue;
    floor = toUnit(similarity);
    const channels: SearchChannel[] = textIds.has(id) ? ['vector', 'text'] : ['vector'];
    merged.set(id, { id, item, score: floor, similarity, channels });
  }
  for (const { id, item, score } of [...textHits].sort((a, b) => b.score - a.score)) {
    if (merged.size >= limit) break;
    if (!merged.has(id)) merged.set(id, { id, item, score: floor * toUnit(score), channels: ['text'] });
  }
  return [...merged.values()];
}

function toUnit(value: number): number {
  return Math.min(1, Math.max(0, value));
}
