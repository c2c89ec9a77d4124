import type { Sql } from '../../pool/sql.ts';
import { memoryColumns, type MemoryRow } from './memory-rows.ts';
import { type Actor, ADD_VERSIONS } from './memory-versions.ts';

export type MemoryChanges = Readonly<
  Partial<{
    tier: number;
    category: string;
    value: string | null;
    content: string;
    question: string | null;
    answer: string | null;
    tags: readonly string[];
    project: string | null;
    topic: string | null;
    importance: number;
    confidence: number;
    source: string;
    source_context: string | null;
    expires_at: Date | null;
    valid_from: Date;
    metadata: Record<string, unknown>;
    /** Hex; goes with `content`. */
    content_hash: string;
    /** Hex; goes with `question`. */
    subject_hash: string;
  }>
>;

/**
 * Changes fields of one memory, adds a version, and requests a new vector when the content changes. Resolves to
 * undefined when the user has no such current memory. A unique violation (`memories_key_key`, `memories_subject_key`,
 * `memories_content_key`) means that another current memory has the same key, question or text.
 */
export function updateMemory(
  tx: Sql,
  target: Readonly<{ tenantId: string; userId: string | null; id: string }>,
  changes: MemoryChanges,
  actor: Actor,
): Promise<MemoryRow | undefined> {
  return tx.maybeOne<MemoryRow>(
    `with patch as (select $7::jsonb as p), changed as (
       update memories m set
         tier = coalesce((p->>'tier')::smallint, m.tier),
         category = coalesce(p->>'category', m.category),
         value = case when p ? 'value' then p->>'value' else m.value end,
         content = coalesce(p->>'content', m.content),
         question = case when p ? 'question' then p->>'question' else m.question end,
         answer = case when p ? 'answer' then p->>'answer' else m.answer end,
         tags = case when p ? 'tags' then array(select jsonb_array_elements_text(p->'tags')) else m.tags end,
         project = case when p ? 'project' then p->>'project' else m.project end,
         topic = case when p ? 'topic' then p->>'topic' else m.topic end,
         importance = coalesce((p->>'importance')::real, m.importance),
         confidence = coalesce((p->>'confidence')::smallint, m.confidence),
         source = coalesce(p->>'source', m.source),
         source_context = case when p ? 'source_context' then p->>'source_context' else m.source_context end,
         expires_at = case when p ? 'expires_at' then (p->>'expires_at')::timestamptz else m.expires_at end,
         valid_from = coalesce((p->>'valid_from')::timestamptz, m.valid_from),
         written = case when p ? 'valid_from' then pg_current_xact_id() else m.written end,
         metadata = coalesce(p->'metadata', m.metadata),
         content_hash = coalesce(decode(p->>'content_hash', 'hex'), m.content_hash),
         subject_hash = coalesce(decode(p->>'subject_hash', 'hex'), m.subject_hash),
         embedding_pending_since =
           case when p->>'content' <> m.content then now() else m.embedding_pending_since end,
         stated_at = case when p ? 'content' then now() else m.stated_at end,
         updated_at = now()
       from patch
       where m.tenant_id = $4::uuid and m.id = $5::uuid and ($6::text is null or m.user_id = $6::text)
         and m.is_current
       returning m.*
     ), versions as (${ADD_VERSIONS})
     select ${memoryColumns('changed')} from changed`,
    [
      'UPDATE',
      actor.actor,
      actor.extractionId,
      target.tenantId,
      target.id,
      target.userId,
      JSON.stringify(changes),
    ],
  );
}

/** Deletes memories by id, or by key within an optional category; they can be restored until they are purged. */
export async function deleteMemories(
  tx: Sql,
  target: Readonly<{
    tenantId: string;
    userId: string | null;
    id: string | null;
    key: string | null;
    category: string | null;
  }>,
  actor: Actor,
): Promise<string[]> {
  if (target.id === null && target.key === null) return [];
  const { rows } = await tx.query<{ id: string }>(
    `with changed as (
       update memories m set deleted_at = now(), updated_at = now(), embedding_pending_since = null
       where m.tenant_id = $4::uuid and ($5::text is null or m.user_id = $5::text) and m.deleted_at is null
         and ($6::uuid is null or m.id = $6::uuid)
         and ($7::text is null or (m.key = $7::text and m.is_current))
         and ($8::text is null or m.category = $8::text)
       returning m.*
     ), versions as (${ADD_VERSIONS})
     select id from changed`,
    [
      'DELETE',
      actor.actor,
      actor.extractionId,
      target.tenantId,
      target.userId,
      target.id,
      target.key,
      target.category,
    ],
  );
  return rows.map((row) => row.id);
}

/** Archives a current memory. Resolves to undefined when there is none. */
export function archiveMemory(
  tx: Sql,
  target: Readonly<{ tenantId: string; userId: string | null; id: string }>,
  actor: Actor,
): Promise<MemoryRow | undefined> {
  return tx.maybeOne<MemoryRow>(
    `with changed as (
       update memories m set archived_at = now(), updated_at = now(), embedding_pending_since = null
       where m.tenant_id = $4::uuid and m.id = $5::uuid and ($6::text is null or m.user_id = $6::text)
         and m.is_current
       returning m.*
     ), versions as (${ADD_VERSIONS})
     select ${memoryColumns('changed')} from changed`,
    ['ARCHIVE', actor.actor, actor.extractionId, target.tenantId, target.id, target.userId],
  );
}

/**
 * Restores a deleted, archived or superseded memory. Resolves to undefined when there is none. A unique violation
 * means that another current memory has its key or text.
 */
export function restoreMemory(
  tx: Sql,
  target: Readonly<{ tenantId: string; userId: string | null; id: string }>,
  actor: Actor,
): Promise<MemoryRow | undefined> {
  return tx.maybeOne<MemoryRow>(
    `with changed as (
       update memories m set deleted_at = null, archived_at = null, valid_to = null, superseded_by = null,
         updated_at = now(), embedding_pending_since =
           case when exists (select 1 from memory_embeddings e join embedding_models l on l.id = e.model
             where e.memory_id = m.id and e.tenant_id = m.tenant_id and e.content_hash = m.content_hash and l.state = 'active')
           then null else now() end
       where m.tenant_id = $4::uuid and m.id = $5::uuid and ($6::text is null or m.user_id = $6::text)
         and not m.is_current
       returning m.*
     ), versions as (${ADD_VERSIONS})
     select ${memoryColumns('changed')} from changed`,
    ['RESTORE', actor.actor, actor.extractionId, target.tenantId, target.id, target.userId],
  );
}
