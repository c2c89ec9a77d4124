import type { Sql } from '@factmill/database';

/** Cosine similarity of two memories or turns by id; undefined when one has no vector. */
export type Similarities = (left: string, right: string) => number | undefined;

/**
 * How alike memories and turns are to each other, by their vectors of one model. A few dozen at most: it compares all
 * pairs.
 *
 * @param items ids, and whose vectors they have: those of a memory, or of a part of a turn
 */
export async function loadSimilarities(
  sql: Sql,
  { tenantId, model }: Readonly<{ tenantId: string; model: string }>,
  items: readonly Readonly<{ id: string; vectorId: string }>[],
): Promise<Similarities> {
  const { pairs, similarities } = await sql.one<{ pairs: number[] | null; similarities: number[] | null }>(
    `with given as materialized (
       select (place - 1)::integer as place, e.embedding from unnest($2::uuid[]) with ordinality as g (id, place)
       cross join lateral (
         select embedding from memory_embeddings where memory_id = g.id and model = $1::text and tenant_id = $4::uuid
         union all
         select embedding from turn_part_embeddings where part_id = g.id and model = $1::text and tenant_id = $4::uuid) as e
     )
     select array_agg(a.place * $3::integer + b.place) as pairs,
       array_agg(1 - (a.embedding <=> b.embedding)) as similarities
     from given a join given b on a.place < b.place`,
    [model, items.map(({ vectorId }) => vectorId), items.length, tenantId],
    { name: 'similarities' },
  );
  const places = new Map(items.map(({ id }, place) => [id, place]));
  const byPair = new Float64Array(items.length ** 2).fill(NaN);
  for (const [index, pair] of (pairs ?? []).entries()) byPair[pair] = similarities?.[index] ?? NaN;
  return (left, right) => {
    const [a, b] = [places.get(left) ?? NaN, places.get(right) ?? NaN];
    const similarity = byPair[Math.min(a, b) * items.length + Math.max(a, b)] ?? NaN;
    return Number.isNaN(similarity) ? undefined : similarity;
  };
}
