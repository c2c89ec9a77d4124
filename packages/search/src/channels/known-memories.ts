/**
 * A common table of memories that were found already, with the messages they rest on, best first. What was said must not
 * take the place of two results: a turn that one of these memories rests on counts for that memory, the best of them.
 */
export function knownMemories(tenant: string, ids: string): string {
  return `known as materialized (
       select m.id, given.place, e.conversation_id, m.message_ids
       from unnest((select ${ids}::uuid[])) with ordinality as given (id, place)
       cross join lateral (
         select * from memories where id = given.id and tenant_id = ${tenant}::uuid offset 0) as m
       cross join lateral (
         select * from extractions where id = m.extraction_id and tenant_id = ${tenant}::uuid offset 0) as e
     )`;
}

/** SQL of the first of the known memories that rests on a message of a conversation; null where none does. */
export function restingOn(conversationId: string, messageId: string): string {
  return `(select known.id from known
    where known.conversation_id = ${conversationId} and ${messageId} = any(known.message_ids)
    order by known.place limit 1)`;
}
