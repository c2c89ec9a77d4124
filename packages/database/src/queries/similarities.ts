import type { Sql } from '../pool/sql.ts';

/** Cosine similarity of two memories by id; undefined when one has no vector. */
export type Similarities = (left: string, right: string) => number | undefined;

/** How alike memories are to each other, by their vectors of one model. A few dozen at most: it compares all pairs. */
export async function loadSimilarities(
  sql: Sql,
  model: string,
  memoryIds: readonly string[],
): Promise<Similarities> {
  const { lefts, rights, similarities } = await sql.one<{
    lefts: number[] | null;
    rights: number[] | null;
    similarities: number[] | null;
  }>(
    `with given as materialized (
       select place::integer, embedding from unnest($2::uuid[]) with ordinality as g (id, place)
       join memory_embeddings e on e.memory_id = g.id and e.model = $1::text
     )
     select array_agg(a.place) as lefts, array_agg(b.place) as rights,
       array_agg(1 - (a.embedding <=> b.embedding)) as similarities
     from given a join given b on a.place < b.place`,
    [model, memoryIds],
    { name: 'similarities' },
  );
  const byPair = new Map<string, number>();
  for (const [index, similarity] of (similarities ?? []).entries()) {
    const left = memoryIds[(lefts?.[index] ?? 0) - 1];
    const right = memoryIds[(rights?.[index] ?? 0) - 1];
    byPair.set(`${left} ${right}`, similarity);
    byPair.set(`${right} ${left}`, similarity);
  }
  return (left, right) => byPair.get(`${left} ${right}`);
}
