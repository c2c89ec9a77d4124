import { toHalfvecs } from '../../pool/binary.ts';
import type { Sql } from '../../pool/sql.ts';

/** A part of a document that a conversation can see. */
export type DocumentChunk = Readonly<{
  documentId: string;
  title: string | null;
  position: number;
  content: string;
}>;

/** A conversation's view of its user's documents. */
type DocumentView = Readonly<{
  tenantId: string;
  userId: string;
  conversationId: string;
  /** Null means the conversation's own project. */
  project: string | null;
}>;

// Those attached to the conversation, to its project, and to nothing; $1 to $4 are the view.
const VISIBLE = `select d.* from documents d
  where d.tenant_id = $1::uuid and d.user_id = $2::text and (
    (d.conversation_id is null and d.project is null) or d.conversation_id = $3::text
    or d.project = coalesce($4::text, (
      select c.project from conversations c where c.tenant_id = $1::uuid and c.id = $3::text)))`;

/**
 * The documents that a conversation can see, whole and in order; null when they have more than `maxCharacters` in
 * total.
 */
export async function listWholeDocuments(
  sql: Sql,
  view: DocumentView & Readonly<{ maxCharacters: number }>,
): Promise<Readonly<{ title: string | null; content: string }>[] | null> {
  const { rows } = await sql.query<{ title: string | null; content: string | null }>(
    `select v.title, case when sum(v.characters) over () <= $5::integer then v.content end as content
     from (${VISIBLE}) v order by v.created_at, v.id`,
    [view.tenantId, view.userId, view.conversationId, view.project, view.maxCharacters],
    { name: 'list_whole_documents' },
  );
  const whole = rows.flatMap(({ title, content }) => (content === null ? [] : [{ title, content }]));
  return whole.length < rows.length ? null : whole;
}

/**
 * The parts of the documents that a conversation can see that are nearest to the vectors; chunks without a vector last,
 * and in order. One statement; distances are computed one by one (document_chunk_embeddings_pkey).
 */
export async function relevantDocumentChunks(
  sql: Sql,
  question: DocumentView &
    Readonly<{
      /** The conversation as vectors of one model, of which the nearest counts; null when there is none. */
      near: Readonly<{ model: string; vectors: readonly (readonly number[])[] }> | null;
      limit: number;
    }>,
): Promise<DocumentChunk[]> {
  const { rows } = await sql.query<DocumentChunk>(
    `with talk as materialized (select unnest($6::halfvec[]) as vector)
     select v.id as "documentId", v.title, c.position, c.content
     from (${VISIBLE}) v
       join document_chunks c on c.tenant_id = $1::uuid and c.document_id = v.id
       left join document_chunk_embeddings e on e.tenant_id = $1::uuid and e.chunk_id = c.id and e.model = $5::text
     order by (select min(e.embedding <=> talk.vector) from talk), v.created_at, v.id, c.position
     limit $7::integer`,
    [
      question.tenantId,
      question.userId,
      question.conversationId,
      question.project,
      question.near?.model ?? null,
      toHalfvecs(question.near?.vectors ?? []),
      question.limit,
    ],
  );
  return rows;
}

/** A candidate, in the form for searching documents. */
export type Sought = Readonly<{
  category: string;
  key: string | null;
  /** The text that a document contains when it states the same; null when that would prove nothing. */
  statement: string | null;
  /** The whole text, which may contain a short chunk. */
  matchingText: string;
  /** Null when it cannot be compared by vector. */
  vector: readonly number[] | null;
}>;

/** A candidate that a document may already state. */
export type Documented = Readonly<{
  place: number;
  /** The chunk that is nearly equal by vector; null when the words match. */
  similarTo: string | null;
}>;

/** Maximum of chunks compared with one candidate. */
const NEAREST = 5;

/**
 * Which candidates a document of the user, attached to anything, seems to state already: word for word; in a short
 * chunk that makes up at least half of the candidate; or in a chunk of at least `minSimilarity`, which the caller
 * must judge. A fact whose key has a value already is never among them, because it must be able to replace that
 * value. One statement for all. Not prepared by name: a plan for any user suits none with many chunks (20 memories
 * and 20,000 chunks: 0.7 s unprepared, 1.3 s prepared).
 */
export async function findInDocuments(
  sql: Sql,
  question: Readonly<{
    tenantId: string;
    userId: string;
    sought: readonly Sought[];
    /** The model of the vectors; null when there are none. */
    model: string | null;
    minSimilarity: number;
  }>,
): Promise<Documented[]> {
  const { sought } = question;
  if (sought.length === 0) return [];
  const { rows } = await sql.query<Documented>(
    `with given as materialized (
       select (g.place - 1)::integer as place, g.statement, g.matching, g.vector
       from unnest($3::text[], $4::text[], $5::text[], $6::text[], $7::halfvec[]) with ordinality
         as g (category, key, statement, matching, vector, place)
       where not exists (
         select from memories m where m.tenant_id = $1::uuid and m.user_id = $2::text and m.scope = 'global'
           and m.conversation_id = '' and m.category = g.category and m.key = g.key and m.is_current)
     )
     select g.place, null as "similarTo" from given g
     where exists (
         select from documents d where d.tenant_id = $1::uuid and d.user_id = $2::text
           and strpos(d.matching_text, g.statement) > 0)
       or exists (
         select from document_chunks c where c.tenant_id = $1::uuid and c.user_id = $2::text
           and c.matching_text is not null and 2 * length(c.matching_text) >= length(g.matching)
           and strpos(g.matching, c.matching_text) > 0)
     union all
     select g.place, c.content from given g cross join lateral (
       select e.chunk_id from document_chunk_embeddings e
       where e.tenant_id = $1::uuid and e.user_id = $2::text and e.model = $8::text
         and (e.embedding <=> g.vector) <= 1 - $9::float8
       order by e.embedding <=> g.vector, e.chunk_id limit ${NEAREST}
     ) as near join document_chunks c on c.tenant_id = $1::uuid and c.id = near.chunk_id`,
    [
      question.tenantId,
      question.userId,
      sought.map((memory) => memory.category),
      sought.map((memory) => memory.key),
      sought.map((memory) => memory.statement),
      sought.map((memory) => memory.matchingText),
      toHalfvecs(sought.map((memory) => memory.vector)),
      question.model,
      question.minSimilarity,
    ],
  );
  return rows;
}
