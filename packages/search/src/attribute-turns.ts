import type { Sql } from '@factmill/database';
import type { ChannelHits } from './candidate.ts';

/**
 * What was said must not take the place of two results: a turn that one of the memories found rests on counts for that
 * memory, the best of them, and is left out itself.
 */
export async function attributeTurns(
  sql: Sql,
  tenantId: string,
  found: readonly ChannelHits[],
): Promise<ChannelHits[]> {
  const turns = found.flatMap(({ hits }) => hits.flatMap(({ turn }) => turn ?? []));
  const memories = new Map(
    found.flatMap(({ channel, hits }) => (channel === 'turns' ? [] : hits.map(({ row }) => [row.id, row]))),
  );
  if (turns.length === 0 || memories.size === 0) return [...found];
  const { rows } = await sql.query<{ memoryId: string; turn: number }>(
    `select m.id as "memoryId", said.turn::integer as turn
     from unnest($2::uuid[]) with ordinality as given (id, place)
     join memories m on m.id = given.id and m.tenant_id = $1::uuid
     join extractions e on e.id = m.extraction_id and e.tenant_id = m.tenant_id
     join unnest($3::text[], $4::text[]) with ordinality as said (conversation_id, message_id, turn)
       on said.conversation_id = e.conversation_id and said.message_id = any(m.message_ids)
     order by given.place desc`,
    [
      tenantId,
      [...memories.keys()],
      turns.map(({ conversationId }) => conversationId),
      turns.map(({ messageId }) => messageId),
    ],
    { name: 'attribute_turns' },
  );
  const memoryOf = new Map(rows.map(({ memoryId, turn }) => [turns[turn - 1], memories.get(memoryId)]));
  return found.map(({ channel, hits }) => ({
    channel,
    hits: hits.map((hit) => {
      const row = memoryOf.get(hit.turn);
      return hit.turn === undefined || row === undefined ? hit : { row, value: hit.value };
    }),
  }));
}
