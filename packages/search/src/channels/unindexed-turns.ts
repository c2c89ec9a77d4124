import { fitting, type Sql, textBytes } from '@factmill/database';
import { knownMemories, restingOn } from './known-memories.ts';
import { type TurnTarget, turnsVisibleTo } from './turn-parts.ts';
import type { TurnRow } from './turn-row.ts';

/** The latest turns whose words are compared. */
const MAX_COMPARED = 1_000;

/**
 * Turns of users and assistants that are in no index yet, or that no extraction has read, and that have one of the
 * words: those with more of the words first, then the latest, as many as fit into an answer. Superseded replies are
 * left out. Uses conversations_user_idx and messages_pkey.
 */
export async function findUnindexedTurns(
  sql: Sql,
  target: TurnTarget & Readonly<{ pendingOnly: boolean }>,
  searched: readonly string[],
  memoryIds: readonly string[],
): Promise<TurnRow[]> {
  if (searched.length === 0) return [];
  const terms = searched.map((_, index) => `search_query(($3::text[])[${index + 1}])`);
  const owned = target.userId === null ? '$2::text is null' : 'c.user_id = $2::text';
  const { rows } = await sql.query<TurnRow>(
    fitting(
      `with ${knownMemories('$1', '$11')}, latest as materialized (
       select c.id as conversation_id, c.user_id, c.project, m.id, m.seq, m.role, m.content, m.created_at,
         m.seq > c.extracted_seq as pending, search_words(m.content) as words
       from conversations c cross join lateral (
         select * from messages m where m.tenant_id = c.tenant_id and m.conversation_id = c.id
           and m.seq > least(c.extracted_seq, c.indexed_seq) offset 0
       ) as m
       where c.tenant_id = $1::uuid and ${owned} and ($4::text[] is null or c.id = any($4::text[]))
         and least(c.extracted_seq, c.indexed_seq) < c.last_seq
         and case when m.seq > c.extracted_seq then $9::boolean else not $10::boolean end
         and ($6::text is null or c.project = $6::text)
         and ($7::timestamptz is null or m.created_at <= $7::timestamptz)
         and m.role in ('user', 'assistant') and m.content is not null and not m.superseded
         and m.seq > c.evicted_seq
         and ${turnsVisibleTo('c', '$8')}
       order by m.created_at desc, m.seq desc limit ${MAX_COMPARED}
     ), scored as (
       select *, (${terms.map((term) => `(words @@ ${term})::integer`).join(' + ')})::float8 / ${terms.length} as score
       from latest where words @@ (${terms.join(' || ')})
     )
     select conversation_id as "conversationId", user_id as "userId", project, id as "messageId", role, content,
       created_at as "createdAt", pending, null as "partId", score,
       ${restingOn('scored.conversation_id', 'scored.id')} as "memoryId"
     from scored order by score desc, created_at desc, seq desc, conversation_id limit $5::integer`,
      `500 + ${textBytes('page.content')}`,
    ),
    [
      target.tenantId,
      target.userId,
      searched,
      target.conversationIds,
      target.limit,
      target.project,
      target.until,
      target.visibleToConversations,
      target.withPending,
      target.pendingOnly,
      memoryIds,
    ],
    { name: `search_unindexed_turns_${terms.length}${target.userId === null ? '_A' : ''}` },
  );
  return rows;
}
