import type { Retained, RetentionDays, RetentionRun } from '@factmill/contracts';
import type { Database, Sql } from '../../pool/sql.ts';
import { appendAudit, type AuditedBy } from '../audit/append-audit.ts';
import { findRetention } from './policies.ts';
import { RETAINED_ROWS } from './retained-rows.ts';

type Counts = Partial<Record<Retained, number>>;
type Row = Readonly<{ id: string; requestedAt: Date; finishedAt: Date | null; counts: Counts }>;

/** A run that is not over. */
export type OpenRetentionRun = Readonly<{ id: string; tenantId: string }>;

const COLUMNS = 'id, requested_at as "requestedAt", finished_at as "finishedAt", counts';

/** Days until the schedule runs again. */
const EVERY_DAYS = 1;

/** What a run would remove now, by kind; kinds to which no number of days applies are left out. */
export async function countRetained(sql: Sql, tenantId: string): Promise<Counts> {
  const counts: Counts = {};
  for (const { kind, days } of agedKinds(await findRetention(sql, tenantId))) {
    const count = await kind.count(sql, { tenantId, days });
    if (days !== null || count > 0) counts[kind.name] = count;
  }
  return counts;
}

/** Begins a run; the one that is open is returned as it is, also when it ends meanwhile. */
export async function requestRetentionRun(
  sql: Sql,
  run: Readonly<{ id: string; tenantId: string; requestedBy: string }>,
): Promise<RetentionRun> {
  const row = await sql.one<Row>(
    `with open as materialized (
       select ${COLUMNS} from retention_runs where tenant_id = $2::uuid and finished_at is null
       order by requested_at limit 1
     ), begun as (
       insert into retention_runs (id, tenant_id, requested_by)
       select $1::uuid, $2::uuid, $3::text where not exists (select from open)
       returning ${COLUMNS}
     )
     select * from open union all select * from begun`,
    [run.id, run.tenantId, run.requestedBy],
  );
  return toRun(row);
}

export async function findRetentionRun(
  sql: Sql,
  tenantId: string,
  id: string,
): Promise<RetentionRun | undefined> {
  const row = await sql.maybeOne<Row>(
    `select ${COLUMNS} from retention_runs where tenant_id = $1::uuid and id = $2::uuid`,
    [tenantId, id],
  );
  return row === undefined ? undefined : toRun(row);
}

/** The runs of a tenant, newest first. Uses retention_runs_list_idx. */
export async function listRetentionRuns(
  sql: Sql,
  filter: Readonly<{
    tenantId: string;
    before: Readonly<{ position: string; id: string }> | null;
    limit: number;
  }>,
): Promise<(RetentionRun & Readonly<{ id: string; position: string }>)[]> {
  const { rows } = await sql.query<Row & Readonly<{ position: string }>>(
    `select ${COLUMNS}, to_char(requested_at at time zone 'utc', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"') as position
     from retention_runs
     where tenant_id = $1::uuid
       and ($2::timestamptz is null or (requested_at, id) < ($2::timestamptz, $3::uuid))
     order by requested_at desc, id desc limit $4::integer`,
    [filter.tenantId, filter.before?.position ?? null, filter.before?.id ?? null, filter.limit],
  );
  return rows.map((row) => ({ ...toRun(row), id: row.id, position: row.position }));
}

/** Begins the runs of the schedule that are due, for up to `limit` tenants. */
export async function beginDueRetentionRuns(sql: Sql, limit: number): Promise<void> {
  const { rows } = await sql.query<{ tenantId: string }>(
    `select tenant_id as "tenantId" from retention_policies where due_at <= now() order by due_at limit $1::integer`,
    [limit],
  );
  for (const { tenantId } of rows) {
    // Of several workers one finds it due.
    await sql.query(
      `with due as (
         update retention_policies set due_at = now() + interval '${EVERY_DAYS} day'
         where tenant_id = $1::uuid and due_at <= now()
         returning tenant_id
       )
       insert into retention_runs (id, tenant_id, requested_by)
       select new_uuid_v7(), tenant_id, 'system' from due
       where not exists (select from retention_runs r where r.tenant_id = $1::uuid and r.finished_at is null)`,
      [tenantId],
    );
  }
}

/** Runs that are not over, oldest first. Uses retention_runs_open_idx. */
export async function listOpenRetentionRuns(sql: Sql, limit: number): Promise<OpenRetentionRun[]> {
  const { rows } = await sql.query<OpenRetentionRun>(
    `select id, tenant_id as "tenantId" from retention_runs where finished_at is null
     order by requested_at limit $1::integer`,
    [limit],
  );
  return rows;
}

/**
 * Removes some rows of one kind and counts them in the run, in one transaction. Resolves to where the next round begins;
 * null when nothing of the kind is left, or the run is over.
 */
export function removeSomeRetained(
  database: Database,
  run: OpenRetentionRun,
  kind: (typeof RETAINED_ROWS)[number],
  aged: Readonly<{ days: number | null; after: string }>,
): Promise<string | null> {
  return database.transaction(async (tx) => {
    // One worker at a time.
    const open = await tx.maybeOne(
      `select from retention_runs where tenant_id = $1::uuid and id = $2::uuid and finished_at is null for update`,
      [run.tenantId, run.id],
    );
    if (open === undefined) return null;
    const { removed, next } = await kind.remove(tx, { tenantId: run.tenantId, days: aged.days }, aged.after);
    if (removed > 0) {
      await tx.query(
        `update retention_runs set counts = jsonb_set(counts, array[$3::text],
           to_jsonb(coalesce((counts->>$3::text)::bigint, 0) + $4::integer))
         where tenant_id = $1::uuid and id = $2::uuid`,
        [run.tenantId, run.id, kind.name, removed],
      );
    }
    return next;
  });
}

/** Ends a run, with a record in the audit. One of the schedule that removed nothing leaves no trace. */
export function finishRetentionRun(database: Database, { tenantId, id }: OpenRetentionRun): Promise<void> {
  return database.transaction(async (tx) => {
    const ended = await tx.maybeOne<{ counts: Counts; requestedBy: string }>(
      `update retention_runs set finished_at = now()
       where tenant_id = $1::uuid and id = $2::uuid and finished_at is null
       returning counts, requested_by as "requestedBy"`,
      [tenantId, id],
    );
    if (ended === undefined) return;
    if (ended.requestedBy === 'system' && Object.keys(ended.counts).length === 0) {
      await tx.query('delete from retention_runs where tenant_id = $1::uuid and id = $2::uuid', [
        tenantId,
        id,
      ]);
      return;
    }
    const by: AuditedBy = { tenantId, actor: ended.requestedBy, requestId: null };
    await appendAudit(tx, {
      ...by,
      action: 'retention.run',
      target: { kind: 'retention_run', id },
      counts: ended.counts,
    });
  });
}

/** The kinds that a policy gives a number of days, and those with null to which users may give one. */
export function agedKinds(
  policy: RetentionDays,
): readonly Readonly<{ kind: (typeof RETAINED_ROWS)[number]; days: number | null }>[] {
  return RETAINED_ROWS.flatMap((kind) => {
    const days = policy[kind.days];
    return days === null && kind.isOfUsers !== true ? [] : [{ kind, days }];
  });
}

function toRun({ id, requestedAt, finishedAt, counts }: Row): RetentionRun {
  return {
    id,
    dry_run: false,
    state: finishedAt === null ? 'pending' : 'done',
    requested_at: requestedAt.toISOString(),
    finished_at: finishedAt?.toISOString() ?? null,
    counts,
  };
}
