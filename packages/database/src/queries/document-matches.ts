import type { Sql } from '../pool/sql.ts';
import { toVectorText } from './embeddings.ts';

/** A part of a document that a conversation can see. */
export type DocumentChunk = Readonly<{
  documentId: string;
  title: string | null;
  position: number;
  content: string;
  /** Cosine to the given vector; null without one, or when the chunk has no vector yet. */
  similarity: number | null;
}>;

/**
 * What the user's documents have to say in a conversation: those attached to it, to its project, and to nothing. All
 * of them in order when they are short together, else the chunks nearest to the vector (those without one last).
 * One statement; distances are computed one by one (document_chunk_embeddings_pkey).
 */
export async function relevantDocumentChunks(
  sql: Sql,
  question: Readonly<{
    tenantId: string;
    userId: string;
    conversationId: string;
    /** Null takes the conversation's own. */
    project: string | null;
    /** Of one model; null when there is none. */
    near: Readonly<{ model: string; vector: readonly number[] }> | null;
    /** Chunks at most, unless all documents together have at most `maxCharacters`. */
    limit: number;
    maxCharacters: number;
  }>,
): Promise<DocumentChunk[]> {
  const { rows } = await sql.query<DocumentChunk>(
    `with visible as materialized (
       select d.id, d.title, d.characters, d.created_at from documents d
       where d.tenant_id = $1::uuid and d.user_id = $2::text and (
         (d.conversation_id is null and d.project is null) or d.conversation_id = $3::text
         or d.project = coalesce($4::text, (
           select c.project from conversations c where c.tenant_id = $1::uuid and c.id = $3::text)))
     ), amount as materialized (
       select coalesce(sum(characters), 0) <= $8::integer as is_small from visible
     )
     select v.id as "documentId", v.title, c.position, c.content,
            1 - (e.embedding <=> $6::halfvec) as similarity
     from visible v
       join document_chunks c on c.tenant_id = $1::uuid and c.document_id = v.id
       left join document_chunk_embeddings e on e.chunk_id = c.id and e.model = $5::text
     order by case when (select is_small from amount) then null else e.embedding <=> $6::halfvec end,
              v.created_at, v.id, c.position
     limit (select case when is_small then null else $7::integer end from amount)`,
    [
      question.tenantId,
      question.userId,
      question.conversationId,
      question.project,
      question.near?.model ?? null,
      question.near === null ? null : toVectorText(question.near.vector),
      question.limit,
      question.maxCharacters,
    ],
    { name: 'relevant_document_chunks' },
  );
  return rows;
}

/** A memory to be, as it is looked for in documents. */
export type Sought = Readonly<{
  category: string;
  key: string | null;
  /** What a document says word for word if it says the same; null when that would prove nothing. */
  statement: string | null;
  /** All of it, in which a short chunk may be. */
  matchingText: string;
  /** Null when it cannot be compared by similarity. */
  vector: readonly number[] | null;
}>;

/**
 * Which of these memories a document of the user, attached to whatever, says already: word for word, or in a chunk
 * that is at least as similar as `minSimilarity`; or that are little more than a short chunk (it makes up at least
 * half of them). Resolves to their places. A fact whose key has a value already is never among them: it has to be
 * able to replace that value. One statement for all; without documents it ends after looking for one.
 */
export async function findInDocuments(
  sql: Sql,
  question: Readonly<{
    tenantId: string;
    userId: string;
    sought: readonly Sought[];
    model: string | null;
    minSimilarity: number;
  }>,
): Promise<number[]> {
  const { sought } = question;
  if (sought.length === 0) return [];
  const { rows } = await sql.query<{ place: number }>(
    `with given as materialized (
       select g.place - 1 as place, g.statement, g.matching, g.vector::halfvec as vector
       from unnest($3::text[], $4::text[], $5::text[], $6::text[], $7::text[]) with ordinality
         as g (category, key, statement, matching, vector, place)
       where exists (select from documents d where d.tenant_id = $1::uuid and d.user_id = $2::text)
         and not exists (
           select from memories m where m.tenant_id = $1::uuid and m.user_id = $2::text and m.scope = 'global'
             and m.conversation_id = '' and m.category = g.category and m.key = g.key and m.is_current)
     )
     select place::integer as place from given g
     where exists (
         select from documents d where d.tenant_id = $1::uuid and d.user_id = $2::text
           and strpos(d.matching_text, g.statement) > 0)
       or exists (
         select from document_chunks c where c.tenant_id = $1::uuid and c.user_id = $2::text
           and c.matching_text is not null and 2 * length(c.matching_text) >= length(g.matching)
           and strpos(g.matching, c.matching_text) > 0)
       or exists (
         select from document_chunk_embeddings e where e.tenant_id = $1::uuid and e.user_id = $2::text
           and e.model = $8::text and (e.embedding <=> g.vector) <= 1 - $9::float8)
     order by place`,
    [
      question.tenantId,
      question.userId,
      sought.map((memory) => memory.category),
      sought.map((memory) => memory.key),
      sought.map((memory) => memory.statement),
      sought.map((memory) => memory.matchingText),
      sought.map((memory) => (memory.vector === null ? null : toVectorText(memory.vector))),
      question.model,
      question.minSimilarity,
    ],
    { name: 'find_in_documents' },
  );
  return rows.map((row) => row.place);
}

/** Whether the user has any document. Uses documents_user_idx. */
export async function hasDocuments(sql: Sql, tenantId: string, userId: string): Promise<boolean> {
  const { found } = await sql.one<{ found: boolean }>(
    'select exists (select from documents where tenant_id = $1::uuid and user_id = $2::text) as found',
    [tenantId, userId],
    { name: 'has_documents' },
  );
  return found;
}
