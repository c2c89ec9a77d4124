import type { Sql } from '../../pool/sql.ts';
import { memoryColumns, type MemoryRow } from './memory-rows.ts';
import { type Actor, addVersions } from './memory-versions.ts';
import { memoriesToJson, type NewMemory } from './new-memory.ts';

/**
 * Takes the lock on this user's memories and keeps it until the end of the transaction. All writers take it, so what
 * they read under it stays true until they commit.
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
    /** Only memories of this conversation; absent or empty: only those of no conversation. */
    conversationId?: string;
  }>,
): Promise<MatchingMemory[]> {
  const { rows } = await tx.query<MatchingMemory>(
    `select ${memoryColumns('m')}, encode(m.content_hash, 'hex') as "contentHash", m.is_current as "isCurrent"
     from matching_memory_ids($1::uuid, $2::text, $3::text[], $4::bytea[], $5::bytea[],
       $6::text) as ids (id)
     cross join lateral (select * from memories where id = ids.id and tenant_id = $1::uuid offset 0) as m`,
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
 * Inserts memories with their first version. One that is current already under the same key or text is skipped.
 * Resolves to the inserted ids.
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

/**
 * Ends the validity of memories that another one replaces, or (without one) that have expired, with the cause. `is true`
 * keeps indexes of current memories out, which on a young database look as good as the key.
 */
export async function supersedeMemories(
  tx: Sql,
  tenantId: string,
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
       from given where m.id = given.id and m.tenant_id = $8::uuid and m.is_current is true
       returning m.*
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
      tenantId,
    ],
    { name: 'supersede_memories' },
  );
}

/** Records that memories were stated again. `statedAt` only moves forward. */
export async function confirmMemories(
  tx: Sql,
  tenantId: string,
  confirmed: readonly Readonly<{ id: string; statedAt: Date }>[],
): Promise<void> {
  if (confirmed.length === 0) return;
  await tx.query(
    `update memories m set last_verified_at = now(), stated_at = greatest(m.stated_at, given.stated_at)
     from unnest($1::uuid[], $2::timestamptz[]) as given (id, stated_at)
     where m.id = given.id and m.tenant_id = $3::uuid`,
    [confirmed.map((memory) => memory.id), confirmed.map((memory) => memory.statedAt), tenantId],
    { name: 'confirm_memories' },
  );
}
