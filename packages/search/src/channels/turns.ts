import { GLOBAL_SCOPE } from '@factmill/contracts';
import { fitting, type Sql, textBytes } from '@factmill/database';
import type { Channel } from './channel.ts';
import { mayBeTurns, type TurnRow, turnToRow } from './turn-row.ts';

export type TurnSearch = Readonly<{
  tenantId: string;
  userId: string | null;
  /** At least one has to be there. */
  terms: readonly string[];
  /** Turns of these conversations; null: of all that the user has. */
  conversationIds: readonly string[] | null;
  /** Only what no extraction has read yet. */
  pendingOnly: boolean;
  /** Of conversations of this project; left out: of any. */
  project?: string | undefined;
  /** What was said by then; left out: everything. */
  until?: Date | undefined;
  limit: number;
}>;

/** The latest turns whose words are compared: there is no index over them. */
const MAX_COMPARED = 1_000;

/** Stored turns, in the form of memories. Its target has no scope: the conversations are those of the request. */
export const turnsChannel: Channel = async ({ database, target, request, terms, limit }) => {
  const { tenantId, userId, filters, asOf } = target;
  if (!(request.include_turns || request.include_pending) || !mayBeTurns(filters)) return null;
  const scopes = request.scopes?.filter((scope) => scope !== GLOBAL_SCOPE) ?? null;
  const { conversation_id: only } = filters;
  const rows = await searchTurns(database, {
    tenantId,
    userId,
    terms,
    conversationIds: only === undefined ? scopes : (scopes ?? [only]).filter((scope) => scope === only),
    pendingOnly: !request.include_turns,
    project: filters.project,
    until: asOf === undefined ? undefined : earlier(asOf.validAt, asOf.knownAt),
    limit,
  });
  // Asked for all turns but not for pending ones, those are left to their extraction.
  const found = request.include_pending ? rows : rows.filter((row) => !row.pending);
  return found.map((row) => {
    const memory = turnToRow(row);
    const { conversationId, messageId, role, pending } = row;
    return {
      row: memory,
      value: row.turnScore,
      turn: { conversationId, messageId, role, pending, memory },
    };
  });
};

function earlier(left: Date, right: Date): Date {
  return left < right ? left : right;
}

/**
 * Stored turns of users and assistants that have one of the words: those with more of the words first, then the
 * latest, as many as fit into an answer. Superseded replies are left out.
 */
export async function searchTurns(sql: Sql, search: TurnSearch): Promise<TurnRow[]> {
  if (search.terms.length === 0) return [];
  const terms = search.terms.map((_, index) => `search_query(($3::text[])[${index + 1}])`);
  const owned = search.userId === null ? '$2::text is null' : 'c.user_id = $2::text';
  const { rows } = await sql.query<TurnRow>(
    fitting(
      `with latest as materialized (
       select c.id as conversation_id, c.user_id, c.project, m.id, m.seq, m.role, m.content, m.created_at,
         m.seq > c.extracted_seq as pending, search_words(m.content) as words
       from conversations c join messages m on m.tenant_id = c.tenant_id and m.conversation_id = c.id
       where c.tenant_id = $1::uuid and ${owned} and ($4::text[] is null or c.id = any($4::text[]))
         and (not $5::boolean or (c.extracted_seq < c.last_seq and m.seq > c.extracted_seq))
         and ($7::text is null or c.project = $7::text)
         and ($8::timestamptz is null or m.created_at <= $8::timestamptz)
         and m.role in ('user', 'assistant') and m.content is not null and not m.superseded
       order by m.created_at desc, m.seq desc limit ${MAX_COMPARED}
     ), scored as (
       select *, (${terms.map((term) => `(words @@ ${term})::integer`).join(' + ')})::float8 / ${terms.length} as score
       from latest where words @@ (${terms.join(' || ')})
     )
     select conversation_id as "conversationId", user_id as "userId", project, id as "messageId", role, content,
       created_at as "createdAt", pending, score as "turnScore"
     from scored order by score desc, created_at desc, seq desc, conversation_id limit $6::integer`,
      `500 + ${textBytes('page.content')}`,
    ),
    [
      search.tenantId,
      search.userId,
      search.terms,
      search.conversationIds,
      search.pendingOnly,
      search.limit,
      search.project ?? null,
      search.until ?? null,
    ],
  );
  return rows;
}
