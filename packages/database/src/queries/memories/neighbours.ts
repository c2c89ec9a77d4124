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
     join memories m on m.id = near.memory_id and ${begun('m')}
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
