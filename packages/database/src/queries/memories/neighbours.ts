import { toHalfvecs } from '../../pool/binary.ts';
import type { Sql } from '../../pool/sql.ts';
import { begun, memoryColumns, type MemoryRow, visible } from './memory-rows.ts';

export type CurrentMemoryRow = MemoryRow & Readonly<{ /** Hex. */ contentHash: string }>;

/** A current memory that is similar to one of several vectors. */
export type NeighbourRow = CurrentMemoryRow & Readonly<{ candidate: number; similarity: number }>;

/** How far rounding to halfvec can move a distance. */
const DISTANCE_TOLERANCE = 1e-4;

/** The largest cosine distance of this similarity. */
export function toMaxDistance(similarity: number): number {
  return 1 - similarity + DISTANCE_TOLERANCE;
}

/**
 * For each vector the user's visible memories of at least this similarity, nearest first, then by id, at most
 * `limit`: one statement, exact. `candidate` is the index of the vector. Compares with all of the user's vectors.
 *
 * @param vectors null where there is none
 */
export async function findNeighbours(
  sql: Sql,
  search: Readonly<{
    tenantId: string;
    userId: string;
    model: string;
    vectors: readonly (readonly number[] | null)[];
    minSimilarity: number;
    limit: number;
    /** Only memories that are kept for this conversation; absent or empty: only those of no conversation. */
    conversationId?: string;
  }>,
): Promise<NeighbourRow[]> {
  if (search.vectors.every((vector) => vector === null)) return [];
  const { rows } = await sql.query<NeighbourRow>(
    `select near.candidate - 1 as candidate, 1 - near.distance as similarity, ${memoryColumns('m')},
       encode(m.content_hash, 'hex') as "contentHash"
     from near_vectors($1::uuid, $2::text, $3::text, $4::halfvec[], $5::float8, $6::integer, $7::text) as near
     join memories m on m.id = near.memory_id and m.tenant_id = $1::uuid and ${begun('m')}
     order by near.candidate, near.distance, near.memory_id`,
    [
      search.tenantId,
      search.userId,
      search.model,
      toHalfvecs(search.vectors),
      toMaxDistance(search.minSimilarity),
      search.limit,
      search.conversationId ?? '',
    ],
    { name: 'find_neighbours' },
  );
  return rows;
}

/**
 * The user's memories among these ids that are visible now, of one conversation or of none, as in findNeighbours. Uses
 * memories_pkey.
 */
export async function findCurrentMemories(
  sql: Sql,
  target: Readonly<{ tenantId: string; userId: string; conversationId?: string; ids: readonly string[] }>,
): Promise<CurrentMemoryRow[]> {
  if (target.ids.length === 0) return [];
  const { rows } = await sql.query<CurrentMemoryRow>(
    `select ${memoryColumns('m')}, encode(m.content_hash, 'hex') as "contentHash" from memories m
     where m.id = any($3::uuid[]) and m.tenant_id = $1::uuid and m.user_id = $2::text and ${visible('m')}
       and m.conversation_id = $4::text`,
    [target.tenantId, target.userId, target.ids, target.conversationId ?? ''],
    { name: 'find_current_memories' },
  );
  return rows;
}

/** A memory that is like another one. */
export type SimilarRow = MemoryRow & Readonly<{ similarity: number }>;

/**
 * The current memories of the user of a memory that are most like it, nearest first: by the vectors of the model in use,
 * exact, among those of its conversation or those of none. Null when it has no such vector.
 */
export async function findSimilarMemories(
  sql: Sql,
  memory: Readonly<{ tenantId: string; userId: string; id: string; conversationId: string; limit: number }>,
): Promise<SimilarRow[] | null> {
  const own = await sql.maybeOne<{ model: string }>(
    `select e.model from memory_embeddings e join embedding_models l on l.id = e.model and l.state = 'active'
     where e.memory_id = $1::uuid and e.tenant_id = $2::uuid`,
    [memory.id, memory.tenantId],
  );
  if (own === undefined) return null;
  const { rows } = await sql.query<SimilarRow>(
    `select 1 - near.distance as similarity, ${memoryColumns('m')}
     from memory_embeddings e
     cross join lateral near_vectors(e.tenant_id, e.user_id, e.model, array[e.embedding]::halfvec[], 2, $4::integer,
       $5::text) as near
     join memories m on m.id = near.memory_id and m.tenant_id = $2::uuid and m.id <> e.memory_id and ${begun('m')}
     where e.memory_id = $1::uuid and e.tenant_id = $2::uuid and e.model = $3::text
     order by near.distance, near.memory_id`,
    // The nearest is the memory itself while it is current.
    [memory.id, memory.tenantId, own.model, memory.limit + 1, memory.conversationId],
  );
  return rows.slice(0, memory.limit);
}
