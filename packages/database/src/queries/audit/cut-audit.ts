import type { Sql } from '../../pool/sql.ts';
import { appendAudit } from './append-audit.ts';

/** Null days: nothing is old. */
type Aged = Readonly<{ tenantId: string; days: number | null }>;

/** Records that one transaction removes. */
const CUT_AT_ONCE = 5_000;

/** How many records are older than that. */
export async function countAuditBefore(sql: Sql, { tenantId, days }: Aged): Promise<number> {
  const { count } = await sql.one<{ count: number }>(
    `select count(*)::integer as count from audit_records
     where tenant_id = $1::uuid and at < now() - $2::integer * interval '1 day' and not is_held($1::uuid, '')`,
    [tenantId, days],
  );
  return count;
}

/**
 * Removes the oldest audit records. A new record says which was the last of them, with its hash, so that what is left
 * can still be verified from its first record on.
 */
export async function cutAudit(
  tx: Sql,
  { tenantId, days }: Aged,
): Promise<Readonly<{ removed: number; next: string | null }>> {
  const cut = await tx.maybeOne<{ through: number; hash: string; before: number }>(
    `with chain as (
       select cut_number from audit_chains where tenant_id = $1::uuid and not is_held($1::uuid, '') for update
     ), last as (
       select r.number, r.hash, chain.cut_number from chain join audit_records r on r.tenant_id = $1::uuid
         and r.number <= chain.cut_number + ${CUT_AT_ONCE} and r.at < now() - $2::integer * interval '1 day'
       order by r.number desc limit 1
     )
     update audit_chains c set cut_number = last.number, cut_hash = last.hash from last where c.tenant_id = $1::uuid
     returning last.number as through, encode(last.hash, 'hex') as hash, last.cut_number as before`,
    [tenantId, days],
  );
  if (cut === undefined) return { removed: 0, next: null };
  await appendAudit(tx, {
    tenantId,
    actor: 'system',
    requestId: null,
    action: 'audit.cut',
    target: { kind: 'hash', id: cut.hash },
    counts: { through: cut.through },
  });
  await tx.query('delete from audit_records where tenant_id = $1::uuid and number <= $2::bigint', [
    tenantId,
    cut.through,
  ]);
  const removed = cut.through - cut.before;
  return { removed, next: removed < CUT_AT_ONCE ? null : '' };
}
