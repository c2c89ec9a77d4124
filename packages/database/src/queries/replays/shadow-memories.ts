import { toHalfvecs } from '../../pool/binary.ts';
import type { Sql } from '../../pool/sql.ts';
import type { StatedMemory } from '../extractions/ledger.ts';
import { memoryColumns, visible } from '../memories/memory-rows.ts';
import type {
  confirmMemories,
  findMatchingMemories,
  insertMemories,
  lockUserMemories,
  MatchingMemory,
  supersedeMemories,
} from '../memories/memory-writes.ts';
import {
  type CurrentMemoryRow,
  type findCurrentMemories,
  type findNeighbours,
  type NeighbourRow,
  toMaxDistance,
} from '../memories/neighbours.ts';
import { memoriesToJson } from '../memories/new-memory.ts';
import type { NewEmbedding } from '../vectors/embeddings.ts';

/** Where the memories of a user are read and written that new ones are compared with. */
export type MemoryStore = Readonly<{
  lock: typeof lockUserMemories;
  findMatching: typeof findMatchingMemories;
  findNeighbours: typeof findNeighbours;
  findCurrent: typeof findCurrentMemories;
  supersede: typeof supersedeMemories;
  insert: typeof insertMemories;
  confirm: typeof confirmMemories;
}>;

/** The shadow of one user in a replay. */
export type Shadow = Readonly<{ tenantId: string; userId: string; replayId: string; runId: string }>;

/** Rows `m` of the shadow `s`, as memories would have them. */
export const SHADOW_ROWS = `replay_memories s cross join lateral
  jsonb_populate_record(null::memories, s.memory || jsonb_build_object('is_current', s.is_current)) m`;

/** Of one user: $1 to $3. */
const OF_USER = `s.tenant_id = $1::uuid and s.replay_id = $2::uuid and s.user_id = $3::text`;
const ofUser = (shadow: Shadow) => [shadow.tenantId, shadow.replayId, shadow.userId];

const CURRENT_COLUMNS = `${memoryColumns('m')}, encode(m.content_hash, 'hex') as "contentHash"`;

/**
 * Whether a memory came from an extraction that a replay goes over, and was not changed by hand: then it would stay what
 * it is, whatever the replay says.
 *
 * @param state which runs of the replay count
 */
export function isReplayed(memory: string, replay: string, state = 'true'): string {
  return `(exists (select from replay_runs r where r.tenant_id = ${memory}.tenant_id and r.replay_id = ${replay}
      and r.extraction_id = ${memory}.extraction_id and ${state})
    and not exists (select from memory_versions v where v.tenant_id = ${memory}.tenant_id
      and v.memory_id = ${memory}.id and v.operation = 'UPDATE'))`;
}

/**
 * Begins the shadow of a user with what they have without the extractions that are replayed: other current memories, and
 * those that a replayed extraction has replaced. What is there already stays.
 */
export async function copyBaseMemories(tx: Sql, shadow: Shadow): Promise<void> {
  await tx.query(
    `insert into replay_memories (id, tenant_id, replay_id, user_id, base_id, memory)
     select m.id, m.tenant_id, $2::uuid, m.user_id, m.id,
       to_jsonb(m) - array['search_text', 'search_terms', 'written', 'is_current']
         || '{"valid_to": null, "superseded_by": null}'::jsonb
     from memories m
     where m.tenant_id = $1::uuid and m.user_id = $3::text and m.deleted_at is null and m.archived_at is null
       and not ${isReplayed('m', '$2::uuid')}
       and (m.is_current or exists (select from memories n where n.tenant_id = m.tenant_id
         and n.id = m.superseded_by and n.deleted_at is null and ${isReplayed('n', '$2::uuid')}))
     on conflict do nothing`,
    ofUser(shadow),
  );
}

/** The shadow in place of the memories that are served. Writes nothing else; the caller holds the run. */
export function createShadowStore(shadow: Shadow): MemoryStore {
  return {
    lock: () => Promise.resolve(),
    async findMatching(tx, { keys, contentHashes, subjectHashes, conversationId = '' }) {
      const { rows } = await tx.query<MatchingMemory>(
        `select ${CURRENT_COLUMNS}, s.is_current as "isCurrent" from ${SHADOW_ROWS}
         where ${OF_USER} and m.conversation_id = $7::text
           and (s.is_current and (m.key = any($4::text[]) or m.subject_hash = any($6::bytea[]))
             or m.content_hash = any($5::bytea[]))`,
        [...ofUser(shadow), keys, contentHashes.map(toBytea), subjectHashes.map(toBytea), conversationId],
      );
      return rows;
    },
    async findNeighbours(sql, { vectors, model, limit, minSimilarity, conversationId = '' }) {
      if (vectors.every((vector) => vector === null)) return [];
      const { rows } = await sql.query<NeighbourRow>(
        `select near.candidate, 1 - near.distance as similarity, ${CURRENT_COLUMNS}
         from (
           select (given.n - 1)::integer as candidate, v.id, v.distance, v.memory,
             row_number() over (partition by given.n order by v.distance, v.id) as place
           from unnest($5::halfvec[]) with ordinality as given (vector, n)
           cross join lateral (${vectorsOf('$4')}) as v
           where v.distance <= $6::float8
         ) as near
         cross join lateral jsonb_populate_record(null::memories,
           near.memory || '{"is_current": true}'::jsonb) m
         where near.place <= $7::integer and m.conversation_id = $8::text and ${visible('m')}
         order by near.candidate, near.distance, near.id`,
        [...ofUser(shadow), model, toHalfvecs(vectors), toMaxDistance(minSimilarity), limit, conversationId],
      );
      return rows;
    },
    async findCurrent(sql, { ids, conversationId = '' }) {
      const { rows } = await sql.query<CurrentMemoryRow>(
        `select ${CURRENT_COLUMNS} from ${SHADOW_ROWS}
         where ${OF_USER} and s.id = any($4::uuid[]) and m.conversation_id = $5::text and ${visible('m')}`,
        [...ofUser(shadow), ids, conversationId],
      );
      return rows;
    },
    async supersede(tx, _tenantId, replaced) {
      if (replaced.length === 0) return;
      await tx.query(
        `update replay_memories s set memory = s.memory || jsonb_build_object('superseded_by', given.successor,
             'valid_to', greatest(given.ended_at, (s.memory ->> 'valid_from')::timestamptz))
         from unnest($4::uuid[], $5::uuid[], $6::timestamptz[]) as given (id, successor, ended_at)
         where ${OF_USER} and s.id = given.id and s.is_current`,
        [
          ...ofUser(shadow),
          replaced.map(({ id }) => id),
          replaced.map(({ supersededBy }) => supersededBy),
          replaced.map(({ validTo }) => validTo),
        ],
      );
    },
    async insert(tx, memories, { extractionId }) {
      if (memories.length === 0) return [];
      await tx.query(
        `insert into replay_memories (id, tenant_id, replay_id, user_id, run_id, memory)
         select (given ->> 'id')::uuid, $1::uuid, $2::uuid, $3::text, $4::uuid,
           given - 'wants_embedding' || jsonb_build_object('extraction_id', $6::uuid,
             'conversation_id', coalesce(given ->> 'conversation_id', ''),
             'scope', case when coalesce(given ->> 'conversation_id', '') = '' then 'global' else 'conversation' end,
             'content_hash', '\\x' || (given ->> 'content_hash'), 'subject_hash', '\\x' || (given ->> 'subject_hash'),
             'access_count', 0, 'created_at', now(), 'updated_at', now(), 'last_verified_at', now())
         from jsonb_array_elements($5::jsonb) as given`,
        [...ofUser(shadow), shadow.runId, memoriesToJson(memories), extractionId],
      );
      return memories.map(({ id }) => id);
    },
    async confirm(tx, _tenantId, confirmed) {
      if (confirmed.length === 0) return;
      await tx.query(
        `update replay_memories s set memory = s.memory || jsonb_build_object('last_verified_at', now(),
             'stated_at', greatest((s.memory ->> 'stated_at')::timestamptz, given.stated_at))
         from unnest($4::uuid[], $5::timestamptz[]) as given (id, stated_at) where ${OF_USER} and s.id = given.id`,
        [...ofUser(shadow), confirmed.map(({ id }) => id), confirmed.map(({ statedAt }) => statedAt)],
      );
    },
  };
}

/** Distances of the current memories of the shadow to `given.vector`, by a model. Copies have the vectors of theirs. */
function vectorsOf(model: string): string {
  return `select s.id, s.memory, (case when s.base_id is null then s.embedding else e.embedding end
      <=> given.vector) as distance
    from replay_memories s left join memory_embeddings e on e.tenant_id = s.tenant_id and e.memory_id = s.base_id
      and e.model = ${model}::text
    where ${OF_USER} and s.is_current and (s.base_id is not null or s.embedding_model = ${model}::text)`;
}

/** Keeps the vectors of memories of the shadow. */
export async function saveShadowEmbeddings(
  tx: Sql,
  shadow: Shadow,
  model: string,
  embeddings: readonly NewEmbedding[],
): Promise<void> {
  if (embeddings.length === 0) return;
  await tx.query(
    `update replay_memories s set embedding_model = $4::text, embedding = given.vector
     from unnest($5::uuid[], $6::halfvec[]) as given (id, vector) where ${OF_USER} and s.id = given.id`,
    [
      ...ofUser(shadow),
      model,
      embeddings.map(({ memoryId }) => memoryId),
      toHalfvecs(embeddings.map(({ vector }) => vector)),
    ],
  );
}

/** The memories of the shadow for a prompt: nearest to one of the vectors first, then last stated. */
export async function listShadowKnown(
  sql: Sql,
  shadow: Shadow,
  search: Readonly<{
    conversationId: string;
    model: string | null;
    vectors: readonly (readonly number[])[];
    limit: number;
  }>,
): Promise<StatedMemory[]> {
  const { rows } = await sql.query<StatedMemory>(
    `select m.id, m.kind, m.category, m.key, m.value, m.content, m.question, m.stated_at as "statedAt"
     from ${SHADOW_ROWS} left join (
       select v.id, min(v.distance) as distance from unnest($5::halfvec[]) as given (vector)
       cross join lateral (${vectorsOf('$4')}) as v group by v.id
     ) as near on near.id = s.id
     where ${OF_USER} and ${visible('m')} and m.conversation_id in ('', $6::text)
     order by near.distance nulls last, m.stated_at desc, m.id desc limit $7::integer`,
    [...ofUser(shadow), search.model, toHalfvecs(search.vectors), search.conversationId, search.limit],
  );
  return rows;
}

function toBytea(hex: string): string {
  return `\\x${hex}`;
}
