import type { Database, Sql } from '../../pool/sql.ts';
import { appendAudit, type AuditedBy } from '../audit/append-audit.ts';
import { type Actor, ADD_VERSIONS } from '../memories/memory-versions.ts';
import { assertNotHeld } from '../retention/legal-holds.ts';

/** What was removed of a user. */
export type ClearedUser = Readonly<{
  memories: number;
  conversations: number;
  documents: number;
  summaries: number;
}>;

/**
 * Removes everything that is remembered of a user, in one transaction under the user's locks: memories in every state,
 * which can be restored until they are purged, and for good what they were made from and what was made from them.
 * Extractions that are in work lose their row and can apply nothing.
 *
 * @throws AppError `legal_hold`
 */
export function clearUser(
  database: Database,
  { tenantId, userId }: Readonly<{ tenantId: string; userId: string }>,
  actor: Actor,
  by: AuditedBy,
): Promise<ClearedUser> {
  return database.transaction(
    async (tx) => {
      await assertNotHeld(tx, { tenantId, userId });
      const owner = [tenantId, userId];
      await tx.query('select lock_user_documents($1::uuid, $2::text)', owner);
      await tx.query('select lock_user_memories($1::uuid, $2::text)', owner);
      const memories = await deleteEveryMemory(tx, tenantId, userId, actor);
      const [summaries, conversations, documents] = [
        // First, as those of conversations leave with these.
        await tx.query('delete from summaries where tenant_id = $1::uuid and user_id = $2::text', owner),
        await tx.query('delete from conversations where tenant_id = $1::uuid and user_id = $2::text', owner),
        await tx.query('delete from documents where tenant_id = $1::uuid and user_id = $2::text', owner),
      ];
      // Their plans and decisions quote memories.
      await tx.query('delete from compression_runs where tenant_id = $1::uuid and user_id = $2::text', owner);
      // Shadows have copies of memories. Those of all users keep what is about others.
      await tx.query('delete from replay_runs where tenant_id = $1::uuid and user_id = $2::text', owner);
      await tx.query('delete from replay_memories where tenant_id = $1::uuid and user_id = $2::text', owner);
      await tx.query('delete from replays where tenant_id = $1::uuid and user_id = $2::text', owner);
      // An import begins anew.
      await tx.query('delete from imported_items where tenant_id = $1::uuid and user_id = $2::text', owner);
      const cleared = {
        memories,
        conversations: conversations.rowCount,
        documents: documents.rowCount,
        summaries: summaries.rowCount,
      };
      await appendAudit(tx, {
        ...by,
        action: 'memories.cleared',
        target: { kind: 'user', id: userId },
        userId,
        counts: cleared,
      });
      return cleared;
    },
    { maxAttempts: 3 },
  );
}

async function deleteEveryMemory(
  tx: Sql,
  tenantId: string,
  userId: string,
  { actor, extractionId }: Actor,
): Promise<number> {
  const { rowCount } = await tx.query(
    `with changed as (
       update memories m set deleted_at = now(), updated_at = now(), embedding_pending_since = null
       where m.tenant_id = $4::uuid and m.user_id = $5::text and m.deleted_at is null
       returning m.*
     ), versions as (${ADD_VERSIONS})
     select id from changed`,
    ['DELETE', actor, extractionId, tenantId, userId],
  );
  return rowCount;
}
