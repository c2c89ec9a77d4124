import { fitting, type Sql, textBytes } from '@factmill/database';

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

export type TurnRow = Readonly<{
  conversationId: string;
  userId: string;
  project: string | null;
  messageId: string;
  role: string;
  content: string;
  createdAt: Date;
  pending: boolean;
  turnScore: number;
}>;

/** Of so many of the latest turns the words are compared: there is no index over them. */
const LATEST = 1_000;

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
       order by m.created_at desc, m.seq desc limit ${LATEST}
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
