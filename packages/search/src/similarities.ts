import type { Sql } from '@factmill/database';

/** Cosine similarity of two memories by id; undefined when one has no vector. */
export type Similarities = (left: string, right: string) => number | undefined;

/** How alike memories are to each other, by their vectors of one model. A few dozen at most: it compares all pairs. */
export async function loadSimilarities(
  sql: Sql,
  model: string,
  memoryIds: readonly string[],
): Promise<Similarities> {
  const { pairs, similarities } = await sql.one<{ pairs: number[] | null; similarities: number[] | null }>(
    `with given as materialized (
       select (place - 1)::integer as place, embedding from unnest($2::uuid[]) with ordinality as g (id, place)
       join memory_embeddings e on e.memory_id = g.id and e.model = $1::text
     )
     select array_agg(a.place * $3::integer + b.place) as pairs,
       array_agg(1 - (a.embedding <=> b.embedding)) as similarities
     from given a join given b on a.place < b.place`,
    [model, memoryIds, memoryIds.length],
    { name: 'similarities' },
  );
  const places = new Map(memoryIds.map((id, place) => [id, place]));
  const byPair = new Float64Array(memoryIds.length ** 2).fill(NaN);
  for (const [index, pair] of (pairs ?? []).entries()) byPair[pair] = similarities?.[index] ?? NaN;
  return (left, right) => {
    const [a, b] = [places.get(left) ?? NaN, places.get(right) ?? NaN];
    const similarity = byPair[Math.min(a, b) * memoryIds.length + Math.max(a, b)] ?? NaN;
    return Number.isNaN(similarity) ? undefined : similarity;
  };
}
