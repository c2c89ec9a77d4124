import type { Database, Sql } from '../../pool/sql.ts';
import { appendAudit, type AuditedBy } from '../audit/append-audit.ts';
import { assertNotHeld } from '../retention/legal-holds.ts';
import { lockUserMemories } from './memory-writes.ts';

type Owner = Readonly<{ tenantId: string; userId: string }>;

export type PurgedMemories = Readonly<{
  tenantId: string;
  /** Null for any user of the tenant. */
  userId: string | null;
  /** One memory, in whatever state. */
  id: string | null;
  /** Current and former memories with this key. */
  key: string | null;
  category: string | null;
}>;

/**
 * Deletes memories for good, with all that quotes them: their versions and vectors, the model's answers that they were
 * made from, what shadow replays found in the same messages, plans of compressions, and texts of the user's summaries,
 * which are written anew. Messages stay, and so do receipts of imports, so that the same import does not bring them back.
 * Resolves to how many there were.
 *
 * @throws AppError `legal_hold`
 */
export function purgeMemories(database: Database, target: PurgedMemories, by: AuditedBy): Promise<number> {
  return database.transaction(
    async (tx) => {
      const found = await tx.query<{ userId: string }>(
        `select distinct m.user_id as "userId" from memories m where ${TARGET} order by 1`,
        valuesOf(target),
      );
      for (const { userId } of found.rows) await holdUser(tx, { tenantId: target.tenantId, userId });
      // Again, as they may have changed until the locks were there.
      const { rows } = await tx.query<{ id: string; userId: string }>(
        `select m.id, m.user_id as "userId" from memories m where ${TARGET}`,
        valuesOf(target),
      );
      for (const [userId, of] of Map.groupBy(rows, (row) => row.userId)) {
        const owner = { tenantId: target.tenantId, userId };
        await deleteMemoriesForGood(
          tx,
          owner,
          of.map(({ id }) => id),
        );
        await appendAudit(tx, {
          ...by,
          action: 'memory.purged',
          ...(target.id === null ? {} : { target: { kind: 'memory' as const, id: target.id } }),
          userId,
          counts: { memories: of.length },
        });
      }
      return rows.length;
    },
    { maxAttempts: 3 },
  );
}

const TARGET = `m.tenant_id = $1::uuid and ($2::text is null or m.user_id = $2::text)
  and ($3::uuid is null or m.id = $3::uuid) and ($4::text is null or m.key = $4::text)
  and ($5::text is null or m.category = $5::text) and num_nonnulls($3::uuid, $4::text) > 0`;

function valuesOf({ tenantId, userId, id, key, category }: PurgedMemories): readonly unknown[] {
  return [tenantId, userId, id, key, category];
}

/**
 * Deletes a conversation for good, with the memories that were made from it or kept for it. Resolves to false when
 * there is none.
 *
 * @throws AppError `legal_hold`
 */
export function purgeConversation(
  database: Database,
  { tenantId, userId, id }: Owner & Readonly<{ id: string }>,
  by: AuditedBy,
): Promise<boolean> {
  return database.transaction(
    async (tx) => {
      await holdUser(tx, { tenantId, userId });
      const { rows } = await tx.query<{ id: string }>(
        `select id from memories where tenant_id = $1::uuid and user_id = $2::text
           and (conversation_id = $3::text or extraction_id in (
             select e.id from extractions e where e.tenant_id = $1::uuid and e.conversation_id = $3::text))`,
        [tenantId, userId, id],
      );
      const memories = rows.map((row) => row.id);
      await deleteMemoriesForGood(tx, { tenantId, userId }, memories);
      const { rowCount } = await tx.query(
        'delete from conversations where tenant_id = $1::uuid and id = $2::text and user_id = $3::text',
        [tenantId, id, userId],
      );
      if (rowCount === 0) return false;
      await appendAudit(tx, {
        ...by,
        action: 'conversation.purged',
        target: { kind: 'conversation', id },
        userId,
        counts: { memories: memories.length },
      });
      return true;
    },
    { maxAttempts: 3 },
  );
}

async function holdUser(tx: Sql, owner: Owner): Promise<void> {
  await assertNotHeld(tx, owner);
  await lockUserMemories(tx, owner.tenantId, owner.userId);
}

async function deleteMemoriesForGood(
  tx: Sql,
  { tenantId, userId }: Owner,
  ids: readonly string[],
): Promise<void> {
  if (ids.length === 0) return;
  const madeBy = `select extraction_id from memory_versions where tenant_id = $1::uuid and memory_id = any($2::uuid[])
    union select extraction_id from memories where tenant_id = $1::uuid and id = any($2::uuid[])`;
  await tx.query(
    `delete from extraction_outputs o using extractions e
     where o.tenant_id = $1::uuid and e.tenant_id = $1::uuid and e.id = o.extraction_id
       and e.state not in ('pending', 'active') and e.id in (${madeBy})`,
    [tenantId, ids],
  );
  // With what shadow replays have found in the same messages; copies go with the memory.
  await tx.query(`delete from replay_runs where tenant_id = $1::uuid and extraction_id in (${madeBy})`, [
    tenantId,
    ids,
  ]);
  await tx.query(
    `with runs as (
       update compression_runs set plan = null, decisions = null
       where tenant_id = $1::uuid and user_id = $2::text and finished_at is not null and plan is not null
       returning id
     )
     delete from compression_answers a using runs where a.tenant_id = $1::uuid and a.run_id = runs.id`,
    [tenantId, userId],
  );
  await forgetSummaryTexts(tx, { tenantId, userId });
  await tx.query('delete from memory_versions where tenant_id = $1::uuid and memory_id = any($2::uuid[])', [
    tenantId,
    ids,
  ]);
  await tx.query('delete from memories where tenant_id = $1::uuid and id = any($2::uuid[])', [tenantId, ids]);
}

/** Texts that were made from memories. One that was written by hand stays. A refresh under way is fenced off. */
async function forgetSummaryTexts(tx: Sql, { tenantId, userId }: Owner): Promise<void> {
  await tx.query(
    `with changed as (
       update summaries set content = null, source = null, prompt_version = null, model = null, updated_at = null,
         memory_count = null, stale_since = now(), refresh_at = now(), change_no = change_no + 1, fence = fence + 1,
         lease_until = null, attempts = 0, failures = 0, error_class = null
       where tenant_id = $1::uuid and user_id = $2::text and conversation_id = '' and refreshed_by is not null
         and source is distinct from 'manual'
       returning id
     ), versions as (
       delete from summary_versions v using changed where v.tenant_id = $1::uuid and v.summary_id = changed.id
     )
     delete from summary_parts p using changed where p.tenant_id = $1::uuid and p.summary_id = changed.id`,
    [tenantId, userId],
  );
}
