import type { MemoryKind } from '@factmill/contracts';
import type { Sql } from '../../pool/sql.ts';
import { memoryColumns, type MemoryRow } from './memory-rows.ts';

/** Who changed a memory, for its history. */
export type Actor = Readonly<{ actor: string; extractionId: string | null }>;

export type NewMemory = Readonly<{
  id: string;
  tenantId: string;
  userId: string;
  tier: number;
  kind: MemoryKind;
  category: string;
  key: string | null;
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
  sourceContext: string | null;
  /** The conversation that it is kept for; left out or empty for none. */
  conversationId?: string;
  /** Hex SHA-256 of the normalised content. */
  contentHash: string;
  /** Hex SHA-256 of the normalised question of a Q/A memory; null for everything else. */
  subjectHash: string | null;
  statedAt: Date;
  validFrom: Date;
  /** Set for a statement that was already outdated when it arrived. */
  validTo: Date | null;
  supersededBy: string | null;
  expiresAt: Date | null;
  messageIds: readonly string[];
  metadata: Record<string, unknown>;
  /** Whether a vector is to be computed for it. */
  wantsEmbedding: boolean;
}>;

/**
 * Waits for, and keeps until the end of the transaction, the right to change this user's memories. All writers
 * take it, so what they read under it stays true until they commit.
 */
export async function lockUserMemories(tx: Sql, tenantId: string, userId: string): Promise<void> {
  await tx.query(`select lock_user_memories($1::uuid, $2::text)`, [tenantId, userId], {
    name: 'lock_user_memories',
  });
}

export type MatchingMemory = MemoryRow & Readonly<{ contentHash: string; isCurrent: boolean }>;

/**
 * Memories that new ones could replace or repeat: current ones with the same key or question, and current or
 * superseded ones with the same text.
 */
export async function findMatchingMemories(
  tx: Sql,
  match: Readonly<{
    tenantId: string;
    userId: string;
    keys: readonly string[];
    contentHashes: readonly string[];
    subjectHashes: readonly string[];
    /** Only those kept for this conversation; left out or empty: only those kept for none. */
    conversationId?: string;
  }>,
): Promise<MatchingMemory[]> {
  const { rows } = await tx.query<MatchingMemory>(
    `select ${memoryColumns('m')}, encode(m.content_hash, 'hex') as "contentHash", m.is_current as "isCurrent"
     from matching_memory_ids($1::uuid, $2::text, $3::text[], $4::bytea[], $5::bytea[],
       $6::text) as ids (id)
     join memories m using (id)`,
    [
      match.tenantId,
      match.userId,
      match.keys,
      match.contentHashes.map(toByteaText),
      match.subjectHashes.map(toByteaText),
      match.conversationId ?? '',
    ],
    { name: 'find_matching_memories' },
  );
  return rows;
}

function toByteaText(hex: string): string {
  return `\\x${hex}`;
}

/**
 * Inserts memories with their first version. One that is current already under the same key or text is left out.
 * Resolves to the ids of those that were inserted.
 */
export async function insertMemories(
  tx: Sql,
  memories: readonly NewMemory[],
  actor: Actor,
): Promise<string[]> {
  if (memories.length === 0) return [];
  const { ids } = await tx.one<{ ids: string[] }>(
    'select add_memories($1::jsonb, $2::text, $3::uuid) as ids',
    [memoriesToJson(memories), actor.actor, actor.extractionId],
    { name: 'add_memories' },
  );
  return ids;
}

/** What add_memories takes. */
export function memoriesToJson(memories: readonly NewMemory[]): string {
  return JSON.stringify(memories.map(toRecord));
}

function toRecord(memory: NewMemory): Record<string, unknown> {
  return {
    id: memory.id,
    tenant_id: memory.tenantId,
    user_id: memory.userId,
    tier: memory.tier,
    kind: memory.kind,
    category: memory.category,
    key: memory.key,
    value: memory.value,
    content: memory.content,
    question: memory.question,
    answer: memory.answer,
    tags: memory.tags,
    project: memory.project,
    topic: memory.topic,
    importance: memory.importance,
    confidence: memory.confidence,
    source: memory.source,
    source_context: memory.sourceContext,
    conversation_id: memory.conversationId,
    content_hash: memory.contentHash,
    subject_hash: memory.subjectHash,
    stated_at: memory.statedAt,
    valid_from: memory.validFrom,
    valid_to: memory.validTo,
    superseded_by: memory.supersededBy,
    expires_at: memory.expiresAt,
    message_ids: memory.messageIds,
    metadata: memory.metadata,
    wants_embedding: memory.wantsEmbedding,
  };
}

// One more version of each row in `changed` (which has the columns of memories); `before` has the same rows as
// they were when the statement began.
const addVersions = (cause: string) => `insert into memory_versions (memory_id, number, tenant_id, user_id,
    operation, before, after, actor, extraction_id, cause)
  select changed.id,
    (select coalesce(max(v.number), 0) + 1 from memory_versions v where v.memory_id = changed.id),
    changed.tenant_id, changed.user_id, $1::text, to_jsonb(before) - 'search_text',
    to_jsonb(changed) - 'search_text', $2::text, $3::uuid, ${cause}
  from changed join memories before on before.id = changed.id`;
export const ADD_VERSIONS = addVersions('null::text');

/** Ends the validity of memories that another statement replaces, or (without one) that have expired; says why. */
export async function supersedeMemories(
  tx: Sql,
  replaced: readonly Readonly<{ id: string; supersededBy: string | null; validTo: Date; cause?: string }>[],
  actor: Actor,
): Promise<void> {
  if (replaced.length === 0) return;
  await tx.query(
    `with given as (
       select * from unnest($4::uuid[], $5::uuid[], $6::timestamptz[], $7::text[])
         as g (id, superseded_by, valid_to, cause)
     ), changed as (
       update memories m set superseded_by = given.superseded_by, updated_at = now(),
         valid_to = greatest(given.valid_to, m.valid_from), embedding_pending_since = null
       from given where m.id = given.id and m.is_current returning m.*
     )
     ${addVersions('(select given.cause from given where given.id = changed.id)')}`,
    [
      'SUPERSEDE',
      actor.actor,
      actor.extractionId,
      replaced.map((memory) => memory.id),
      replaced.map((memory) => memory.supersededBy),
      replaced.map((memory) => memory.validTo),
      replaced.map((memory) => memory.cause ?? null),
    ],
    { name: 'supersede_memories' },
  );
}

/** Notes that memories were stated again. `statedAt` only moves forward. */
export async function confirmMemories(
  tx: Sql,
  confirmed: readonly Readonly<{ id: string; statedAt: Date }>[],
): Promise<void> {
  if (confirmed.length === 0) return;
  await tx.query(
    `update memories m set last_verified_at = now(), stated_at = greatest(m.stated_at, given.stated_at)
     from unnest($1::uuid[], $2::timestamptz[]) as given (id, stated_at) where m.id = given.id`,
    [confirmed.map((memory) => memory.id), confirmed.map((memory) => memory.statedAt)],
    { name: 'confirm_memories' },
  );
}

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
 * Changes fields of one memory, adds a version, and has its vector computed anew when the content changes.
 * Resolves to undefined when the user has no such current memory. A unique violation (`memories_key_key`,
 * `memories_subject_key`, `memories_content_key`) means that another current memory says the same already.
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

/**
 * Brings a deleted, archived or superseded memory back as current. Resolves to undefined when there is none. A
 * unique violation means that another current memory has its key or text.
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
             where e.memory_id = m.id and e.content_hash = m.content_hash and l.state = 'active')
           then null else now() end
       where m.tenant_id = $4::uuid and m.id = $5::uuid and ($6::text is null or m.user_id = $6::text)
         and not m.is_current
       returning m.*
     ), versions as (${ADD_VERSIONS})
     select ${memoryColumns('changed')} from changed`,
    ['RESTORE', actor.actor, actor.extractionId, target.tenantId, target.id, target.userId],
  );
}
