/**
 * A user's message in a conversation, with what answers it: messages whose ids are `messageId`, or begin with it and a
 * dot.
 */
export type ChatTurn = Readonly<{ conversationId: string; messageId: string }>;

/** A turn as the value of a statement; null for none. */
export function toTurnValue(turn: ChatTurn | undefined): string[] | null {
  return turn === undefined ? null : [turn.conversationId, turn.messageId];
}

/**
 * SQL: whether a memory of tenant `$1` rests on anything beside a turn. True of every memory when there is no turn.
 *
 * @param m alias of the memory
 * @param turn place of the value
 */
export function restsBeside(m: string, turn: string): string {
  const isOfTurn = (id: string) =>
    `(${id} = (${turn}::text[])[2] or starts_with(${id}, (${turn}::text[])[2] || '.'))`;
  return `not coalesce(${isOfTurn(`${m}.message_ids[1]`)}
      and not exists (select from unnest(${m}.message_ids) as said (id) where not ${isOfTurn('said.id')})
      and exists (select from extractions e where e.id = ${m}.extraction_id and e.tenant_id = $1::uuid
        and e.conversation_id = (${turn}::text[])[1]), false)`;
}
