import type { Sql } from '../../pool/sql.ts';

/** A turn that is not indexed yet. */
export type UnindexedTurn = Readonly<{
  tenantId: string;
  userId: string;
  conversationId: string;
  seq: number;
  /** Null where there is nothing to find: a system message, a tool call. */
  content: string | null;
}>;

/** A part of a turn, in the order of its parts. */
export type NewTurnPart = Readonly<{
  id: string;
  tenantId: string;
  userId: string;
  conversationId: string;
  seq: number;
  position: number;
  content: string;
}>;

/** Conversations that one statement looks at. */
const CONVERSATIONS = 50;

/**
 * Messages that are not indexed yet, those of the conversation that waits longest first, each conversation's in its
 * order. Uses conversations_unindexed_idx and messages_pkey.
 */
export async function listUnindexedTurns(sql: Sql, limit: number): Promise<UnindexedTurn[]> {
  const { rows } = await sql.query<UnindexedTurn>(
    `with waiting as materialized (
       select tenant_id, id, user_id, indexed_seq, last_active_at from conversations
       where indexed_seq < last_seq order by last_active_at limit ${CONVERSATIONS}
     )
     select w.tenant_id as "tenantId", w.user_id as "userId", w.id as "conversationId", m.seq,
       case when m.role in ('user', 'assistant') and not m.superseded then m.content end as content
     from waiting w cross join lateral (
       select * from messages m where m.tenant_id = w.tenant_id and m.conversation_id = w.id
         and m.seq > w.indexed_seq order by m.seq limit $1::integer
     ) as m
     order by w.last_active_at, w.tenant_id, w.id, m.seq limit $1::integer`,
    [limit],
    { name: 'list_unindexed_turns' },
  );
  return rows;
}

/**
 * Stores the parts of turns, which then wait for their vectors, and notes up to where their conversations are indexed.
 * What another process stored meanwhile stays; conversations deleted meanwhile are passed over.
 */
export async function saveTurnParts(
  sql: Sql,
  turns: readonly UnindexedTurn[],
  parts: readonly NewTurnPart[],
  options: Readonly<{ wantsVectors: boolean }>,
): Promise<void> {
  for (const [tenantId, ofTenant] of Map.groupBy(turns, (turn) => turn.tenantId)) {
    const indexed = [...new Map(ofTenant.map((turn) => [turn.conversationId, turn.seq]))];
    const own = parts.filter((part) => part.tenantId === tenantId);
    await sql.query(
      `with given as (
         select * from unnest($2::uuid[], $3::text[], $4::text[], $5::integer[], $6::integer[], $7::text[])
           as g (id, user_id, conversation_id, seq, position, content)
       ), there as (
         select turn.conversation_id, turn.seq
         from (select distinct conversation_id, seq from given) as g cross join lateral (
           select m.conversation_id, m.seq from messages m
           where m.tenant_id = $1::uuid and m.conversation_id = g.conversation_id and m.seq = g.seq
           for key share) as turn
       ), stored as (
         insert into turn_parts (id, tenant_id, user_id, conversation_id, seq, position, content,
           embedding_pending_since)
         select id, $1::uuid, user_id, conversation_id, seq, position, content, case when $10::boolean then now() end
         from given join there using (conversation_id, seq)
         on conflict (tenant_id, conversation_id, seq, position) do nothing
       )
       update conversations c set indexed_seq = greatest(c.indexed_seq, least(done.seq, c.last_seq))
       from unnest($8::text[], $9::integer[]) as done (id, seq)
       where c.tenant_id = $1::uuid and c.id = done.id`,
      [
        tenantId,
        own.map(({ id }) => id),
        own.map(({ userId }) => userId),
        own.map(({ conversationId }) => conversationId),
        own.map(({ seq }) => seq),
        own.map(({ position }) => position),
        own.map(({ content }) => content),
        indexed.map(([id]) => id),
        indexed.map(([, seq]) => seq),
        options.wantsVectors,
      ],
      { name: 'save_turn_parts' },
    );
  }
}

/**
 * Whether any turn is not indexed yet. In an order, so that conversations_unindexed_idx is used: for the planner a third
 * of all conversations wait, and an unordered look would read them one by one.
 */
export async function hasUnindexedTurn(sql: Sql): Promise<boolean> {
  const { found } = await sql.one<{ found: boolean }>(
    `select (select true from conversations where indexed_seq < last_seq order by last_active_at limit 1) is true as found`,
  );
  return found;
}
