import type { AuditAction, AuditTarget } from '@factmill/contracts';
import type { Database, Sql } from '../../pool/sql.ts';

/** Who does something, and from which request. */
export type AuditedBy = Readonly<{
  tenantId: string;
  /** `api-key:<id>`, `api` for a caller without a stored key, `operator` for a command on the database, or `system`. */
  actor: string;
  requestId: string | null;
}>;

/** One thing that was done or refused. Nothing in it is text of a user. */
export type AuditEntry = AuditedBy &
  Readonly<{
    action: AuditAction;
    /** The id of a user or a conversation is kept as a pseudonym. */
    target?: Readonly<{ kind: AuditTarget; id: string }>;
    /** Whose data it is about; kept as a pseudonym. */
    userId?: string | null;
    outcome?: 'done' | 'refused';
    /** A code of ours. */
    reason?: string;
    /** Names of changed fields. */
    fields?: readonly string[];
    counts?: Readonly<Record<string, number>>;
  }>;

/** Appends a record to the tenant's audit. Locks the tenant's chain: call it last in the transaction. */
export async function appendAudit(tx: Sql, entry: AuditEntry): Promise<void> {
  await tx.query(
    'select append_audit($1::uuid, $2::jsonb)',
    [
      entry.tenantId,
      JSON.stringify({
        actor: entry.actor,
        action: entry.action,
        target_kind: entry.target?.kind,
        target_id: entry.target?.id,
        user_id: entry.userId ?? undefined,
        outcome: entry.outcome,
        request_id: entry.requestId,
        reason: entry.reason,
        fields: entry.fields ?? [],
        counts: entry.counts,
      }),
    ],
    { name: 'append_audit' },
  );
}

/**
 * Does `work` and appends what `entryOf` makes of its result, in one transaction. Null from `entryOf`: nothing was done.
 */
export function audited<T>(
  database: Database,
  work: (tx: Sql) => Promise<T>,
  entryOf: (result: T) => AuditEntry | null,
): Promise<T> {
  return database.transaction(async (tx) => {
    const result = await work(tx);
    const entry = entryOf(result);
    if (entry !== null) await appendAudit(tx, entry);
    return result;
  });
}
