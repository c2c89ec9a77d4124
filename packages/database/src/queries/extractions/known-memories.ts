import { toHalfvecs } from '../../pool/binary.ts';
import type { Sql } from '../../pool/sql.ts';
import type { StatedMemory } from './ledger.ts';
import { containing } from '../memories/containing.ts';
import { visible } from '../memories/memory-rows.ts';

/**
 * Memories of this conversation and of none, without those about to be replaced, because the model must state them
 * again if they still hold. That check takes time, so it runs only for a regenerated reply.
 */
const SEEN = `${visible('m')} and m.conversation_id in ('', $7::text)
           and (not (select replaces from work) or not rests_on_replaced(m.message_ids, $1::uuid, $7::text))`;

/**
 * The user's memories that are most relevant to a conversation: nearest to one of its vectors, or with one of its
 * names; both lists count by rank, and the most recently stated fill the rest. Memories of other conversations are
 * excluded. Best first, one statement. Compares with all of the user's vectors (memory_embeddings_near_idx); texts are found
 * by memories_like.
 *
 * @param vectors of one embedding model; may be empty
 * @param names searched for in memories, as whole or part of a word; may be empty
 */
export async function findRelevantMemories(
  sql: Sql,
  search: Readonly<{
    tenantId: string;
    userId: string;
    conversationId: string;
    extractionId: string;
    model: string | null;
    vectors: readonly (readonly number[])[];
    names: readonly string[];
    limit: number;
  }>,
): Promise<StatedMemory[]> {
  const { rows } = await sql.query<StatedMemory>(
    `with work as materialized (
       select replaces_from_seq is not null as replaces from extractions where id = $8::uuid and tenant_id = $1::uuid
     ), near as (
       select memory_id as id, row_number() over (order by distance, memory_id) as place from (
         select e.memory_id, min((e.embedding <=> given.vector) + 0) as distance
         from memory_embeddings e
         cross join unnest($4::halfvec[]) as given (vector)
         where e.tenant_id = $1::uuid and e.user_id = $2::text and e.model = $3::text
           and exists (select from (
             select * from memories where id = e.memory_id and tenant_id = $1::uuid offset 0) as m where ${SEEN})
         group by e.memory_id order by distance, e.memory_id limit 2 * $6::integer) as nearest
     ), named as (
       select id, row_number() over (order by names desc, stated_at desc, id) as place from (
         select m.id, m.stated_at, (select count(*) from unnest($5::text[]) as p (pattern)
           where m.search_text like p.pattern) as names
         from memories_like($1::uuid, $2::text, $5::text[]) as found (id)
           cross join lateral (
             select * from memories where id = found.id and tenant_id = $1::uuid offset 0) as m
         where m.user_id = $2::text and ${SEEN}
         order by names desc, m.stated_at desc, m.id limit 2 * $6::integer) as hits
     ), recent as (
       select m.id, row_number() over (order by m.stated_at desc, m.id desc) as place from memories m
       where m.tenant_id = $1::uuid and m.user_id = $2::text and ${SEEN}
       order by m.stated_at desc, m.id desc limit $6::integer
     ), ranked as (
       select id, coalesce(1.0 / (10 + near.place), 0) + coalesce(1.0 / (10 + named.place), 0) as score,
         recent.place as recency
       from near full join named using (id) full join recent using (id)
       order by score desc, recency nulls last, id limit $6::integer
     )
     select m.id, m.kind, m.category, m.key, m.value, m.content, m.question, m.stated_at as "statedAt"
     from ranked cross join lateral (
       select * from memories where id = ranked.id and tenant_id = $1::uuid offset 0) as m
     order by ranked.score desc, ranked.recency nulls last, m.id`,
    [
      search.tenantId,
      search.userId,
      search.model,
      toHalfvecs(search.vectors),
      search.names.map((name) => containing(name.toLowerCase())),
      search.limit,
      search.conversationId,
      search.extractionId,
    ],
    { name: 'find_relevant_memories' },
  );
  return rows;
}
