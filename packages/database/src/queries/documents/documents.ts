import { AppError } from '@factmill/errors';
import type { Database, Sql } from '../../pool/sql.ts';
import { fitting, jsonBytes, type Listed } from '../fitting.ts';

export type DocumentRow = Readonly<{
  id: string;
  userId: string;
  title: string | null;
  conversationId: string | null;
  project: string | null;
  metadata: Record<string, unknown>;
  characters: number;
  chunkCount: number;
  createdAt: Date;
  updatedAt: Date;
}>;

const COLUMNS = `id, user_id as "userId", title, conversation_id as "conversationId", project, metadata, characters,
  chunk_count as "chunkCount", created_at as "createdAt", updated_at as "updatedAt"`;

type NewChunk = Readonly<{
  id: string;
  content: string;
  matchingText: string | null;
  contentHash: string;
}>;

export type NewDocument = Readonly<{
  tenantId: string;
  id: string;
  userId: string;
  title: string | null;
  content: string;
  matchingText: string;
  /** Hex, of the unchanged content. */
  contentHash: string;
  chunking: string;
  conversationId: string | null;
  project: string | null;
  metadata: Record<string, unknown>;
  chunks: readonly NewChunk[];
  wantsEmbedding: boolean;
}>;

/** Limits per user. Similarity to chunks is computed one by one, 2 µs each. */
const MAX_DOCUMENTS_PER_USER = 1_000;
export const MAX_CHUNKS_PER_USER = 20_000;
/** Chunks of one statement, so that its parameters are never a second copy of a long document. */
const CHUNKS_PER_INSERT = 500;

/** `created`, `replaced` (other content, or another way of cutting) or `kept` (at most title and the like differ). */
export type PutDocument = Readonly<{ document: DocumentRow; outcome: 'created' | 'replaced' | 'kept' }>;

/**
 * Stores a document under its id, replacing one with this id; with the same content its chunks and their vectors
 * stay. A missing conversation is created.
 *
 * @throws AppError `document_user_mismatch`, `conversation_user_mismatch`, `document_limit`
 */
export function putDocument(database: Database, document: NewDocument): Promise<PutDocument> {
  return database.transaction(
    async (tx) => {
      await tx.query('select lock_user_documents($1::uuid, $2::text)', [document.tenantId, document.userId]);
      if (document.conversationId !== null) await ensureConversation(tx, document, document.conversationId);
      const { known, same } = await compare(tx, document);
      if (!same) await assertRoom(tx, document);
      const row = await writeDocument(tx, document);
      if (!same) await replaceChunks(tx, document);
      return { document: row, outcome: same ? 'kept' : known ? 'replaced' : 'created' };
    },
    { maxAttempts: 3 },
  );
}

async function ensureConversation(tx: Sql, { tenantId, userId }: NewDocument, id: string): Promise<void> {
  await tx.query(
    `insert into conversations (tenant_id, id, user_id) values ($1::uuid, $2::text, $3::text)
     on conflict (tenant_id, id) do nothing`,
    [tenantId, id, userId],
  );
  // The lock prevents the conversation's deletion before the document refers to it.
  const owner = await tx.maybeOne<{ userId: string }>(
    `select user_id as "userId" from conversations where tenant_id = $1::uuid and id = $2::text for key share`,
    [tenantId, id],
  );
  if (owner?.userId === userId) return;
  throw new AppError('conversation_user_mismatch', 'The conversation belongs to another user.', {
    fields: [{ field: 'conversation_id', message: 'belongs to another user' }],
  });
}

async function compare(tx: Sql, document: NewDocument): Promise<{ known: boolean; same: boolean }> {
  const known = await tx.maybeOne<{ same: boolean }>(
    `select content_hash = decode($3::text, 'hex') and chunking = $4::text as same
     from documents where tenant_id = $1::uuid and id = $2::text`,
    [document.tenantId, document.id, document.contentHash, document.chunking],
  );
  return { known: known !== undefined, same: known?.same === true };
}

async function assertRoom(tx: Sql, document: NewDocument): Promise<void> {
  const { documents, chunks } = await tx.one<{ documents: number; chunks: number }>(
    `select count(*)::integer as documents, coalesce(sum(chunk_count), 0)::integer as chunks
     from documents where tenant_id = $1::uuid and user_id = $2::text and id <> $3::text`,
    [document.tenantId, document.userId, document.id],
  );
  if (documents < MAX_DOCUMENTS_PER_USER && chunks + document.chunks.length <= MAX_CHUNKS_PER_USER) return;
  throw new AppError(
    'document_limit',
    `A user can have ${MAX_DOCUMENTS_PER_USER} documents with ${MAX_CHUNKS_PER_USER} chunks in all; this one is too much. Delete some first.`,
  );
}

async function writeDocument(tx: Sql, document: NewDocument): Promise<DocumentRow> {
  const row = await tx.maybeOne<DocumentRow>(
    `insert into documents as d (tenant_id, id, user_id, title, content, matching_text, content_hash, characters,
       chunk_count, chunking, conversation_id, project, metadata)
     values ($1::uuid, $2::text, $3::text, $4::text, $5::text, $6::text, decode($7::text, 'hex'),
       char_length($5::text), $8::integer, $9::text, $10::text, $11::text, $12::jsonb)
     on conflict (tenant_id, id) do update
       set title = excluded.title, content = excluded.content, matching_text = excluded.matching_text,
           content_hash = excluded.content_hash, characters = excluded.characters,
           chunk_count = excluded.chunk_count, chunking = excluded.chunking,
           conversation_id = excluded.conversation_id, project = excluded.project, metadata = excluded.metadata,
           updated_at = case when (d.title, d.content_hash, d.conversation_id, d.project, d.metadata)
             is distinct from (excluded.title, excluded.content_hash, excluded.conversation_id, excluded.project,
                               excluded.metadata) then now() else d.updated_at end
       where d.user_id = excluded.user_id
     returning ${COLUMNS}`,
    [
      document.tenantId,
      document.id,
      document.userId,
      document.title,
      document.content,
      document.matchingText,
      document.contentHash,
      document.chunks.length,
      document.chunking,
      document.conversationId,
      document.project,
      JSON.stringify(document.metadata),
    ],
  );
  if (row !== undefined) return row;
  throw new AppError('document_user_mismatch', 'A document with this id belongs to another user.', {
    fields: [{ field: 'id', message: 'is taken by another user' }],
  });
}

/** Inserts the chunks from position `first`, at most CHUNKS_PER_INSERT. */
async function insertChunks(tx: Sql, document: NewDocument, first: number): Promise<void> {
  const chunks = document.chunks.slice(first, first + CHUNKS_PER_INSERT);
  await tx.query(
    `insert into document_chunks (id, tenant_id, user_id, document_id, position, content, matching_text,
       content_hash, embedding_pending_since)
     select c.id, $1::uuid, $3::text, $2::text, $9::integer + c.position - 1, c.content, c.matching_text,
       decode(c.content_hash, 'hex'), case when $8::boolean then now() end
     from unnest($4::uuid[], $5::text[], $6::text[], $7::text[]) with ordinality
       as c (id, content, matching_text, content_hash, position)`,
    [
      document.tenantId,
      document.id,
      document.userId,
      chunks.map((chunk) => chunk.id),
      chunks.map((chunk) => chunk.content),
      chunks.map((chunk) => chunk.matchingText),
      chunks.map((chunk) => chunk.contentHash),
      document.wantsEmbedding,
      first,
    ],
  );
}

/** Replaces the chunks; a chunk that existed before keeps its vectors. */
async function replaceChunks(tx: Sql, document: NewDocument): Promise<void> {
  const { tenantId, id, chunks } = document;
  // Moves the old chunks out of the way of the new positions.
  await tx.query(
    `update document_chunks set position = -1 - position where tenant_id = $1::uuid and document_id = $2::text`,
    [tenantId, id],
  );
  for (let first = 0; first < chunks.length; first += CHUNKS_PER_INSERT) {
    await insertChunks(tx, document, first);
  }
  await tx.query(
    `with pairs as (
       select distinct on (new.id) new.id as new_id, old.id as old_id
       from document_chunks old join document_chunks new
         on new.tenant_id = old.tenant_id and new.document_id = old.document_id
           and new.content_hash = old.content_hash and new.position >= 0
       where old.tenant_id = $1::uuid and old.document_id = $2::text and old.position < 0
         and old.embedding_pending_since is null
     ), copied as (
       insert into document_chunk_embeddings (chunk_id, model, tenant_id, user_id, embedding)
       select pairs.new_id, e.model, e.tenant_id, e.user_id, e.embedding
       from pairs join document_chunk_embeddings e on e.chunk_id = pairs.old_id and e.tenant_id = $1::uuid
     )
     update document_chunks c set embedding_pending_since = null from pairs
     where c.tenant_id = $1::uuid and c.id = pairs.new_id`,
    [tenantId, id],
  );
  await tx.query(
    'delete from document_chunks where tenant_id = $1::uuid and document_id = $2::text and position < 0',
    [tenantId, id],
  );
}

type Target = Readonly<{ tenantId: string; userId: string | null; id: string }>;

/** One document with its text, or undefined; with a user, only that user's. */
export function findDocument(
  sql: Sql,
  target: Target,
): Promise<(DocumentRow & Readonly<{ content: string }>) | undefined> {
  return sql.maybeOne(
    `select ${COLUMNS}, content from documents
     where tenant_id = $1::uuid and id = $2::text and ($3::text is null or user_id = $3::text)`,
    [target.tenantId, target.id, target.userId],
  );
}

/** Deletes a document with its chunks and vectors. Resolves to false when there is none. */
export async function deleteDocument(sql: Sql, target: Target): Promise<boolean> {
  const { rowCount } = await sql.query(
    `delete from documents
     where tenant_id = $1::uuid and id = $2::text and ($3::text is null or user_id = $3::text)`,
    [target.tenantId, target.id, target.userId],
  );
  return rowCount > 0;
}

/** A document in a list; `position` is `created_at` with its microseconds, for the cursor. */
export type ListedDocument = DocumentRow & Listed & Readonly<{ position: string }>;

/** A user's documents, newest first, without their text, as many as fit into an answer. Uses documents_user_idx. */
export async function listDocuments(
  sql: Sql,
  filter: Readonly<{
    tenantId: string;
    userId: string;
    conversationId: string | null;
    project: string | null;
    /** The last row of the page before. */
    before: Readonly<{ position: string; id: string }> | null;
    limit: number;
  }>,
): Promise<ListedDocument[]> {
  const { rows } = await sql.query<ListedDocument>(
    fitting(
      `select ${COLUMNS}, to_char(created_at at time zone 'utc', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"') as position
     from documents
     where tenant_id = $1::uuid and user_id = $2::text
       and ($3::text is null or conversation_id = $3::text)
       and ($4::text is null or project = $4::text)
       and ($5::timestamptz is null or (created_at, id) < ($5::timestamptz, $6::text))
     order by created_at desc, id desc limit $7::integer`,
      `2000 + ${jsonBytes('page.metadata')}`,
    ),
    [
      filter.tenantId,
      filter.userId,
      filter.conversationId,
      filter.project,
      filter.before?.position ?? null,
      filter.before?.id ?? null,
      filter.limit + 1,
    ],
  );
  return rows.slice(0, filter.limit);
}
