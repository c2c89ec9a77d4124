import type { Compression } from '@factmill/contracts';
import type { Sql } from '../../pool/sql.ts';
import type { TenantRow } from '../claim-by-tenant.ts';
import type { Listed } from '../fitting.ts';
import { takeUnchecked } from '../take-unchecked.ts';

export type CompressionKind = 'daily' | 'weekly';
type CompressionState = 'pending' | 'active' | 'done' | 'failed' | 'proposed';

/** A run in a list. `decisions` quote memories; they are for the user's operator only. */
export type CompressionRun = Readonly<{
  id: string;
  tenantId: string;
  userId: string;
  kind: CompressionKind;
  /** The last day that it covers, `YYYY-MM-DD`. */
  period: string;
  dryRun: boolean;
  state: CompressionState;
  attempts: number;
  generation: number;
  decisions: unknown;
  counts: Record<string, number>;
  errorClass: string | null;
  errorMessage: string | null;
  modelCalls: number;
  promptTokens: number;
  completionTokens: number;
  modelMs: number;
  createdAt: Date;
  nextAttemptAt: Date | null;
  startedAt: Date | null;
  finishedAt: Date | null;
}>;

const COLUMNS = `id, tenant_id as "tenantId", user_id as "userId", kind, period, dry_run as "dryRun", state, attempts,
  generation, decisions, counts, error_class as "errorClass", error_message as "errorMessage",
  model_calls as "modelCalls", prompt_tokens as "promptTokens", completion_tokens as "completionTokens",
  model_ms as "modelMs", created_at as "createdAt", next_attempt_at as "nextAttemptAt", started_at as "startedAt",
  finished_at as "finishedAt"`;

/** The fields of a run that the queue needs. */
export type OpenCompressionRun = Readonly<{ id: string; tenantId: string; generation: number }>;

export type NewCompressionRun = Readonly<{
  id: string;
  tenantId: string;
  userId: string;
  kind: CompressionKind;
  period: string;
  /** Events stated from then on are left to the next run. */
  until: Date;
  dryRun: boolean;
}>;

/** Adds runs; a user with a run for that period is skipped. Resolves to the added runs. */
export async function insertCompressionRuns(
  sql: Sql,
  runs: readonly NewCompressionRun[],
): Promise<OpenCompressionRun[]> {
  const added: OpenCompressionRun[] = [];
  for (const [tenantId, own] of Map.groupBy(runs, (run) => run.tenantId)) {
    const { rows } = await sql.query<OpenCompressionRun>(
      `insert into compression_runs (id, tenant_id, user_id, kind, period, until_at, dry_run)
       select id, $1::uuid, user_id, kind, period, until_at, dry_run
       from unnest($2::uuid[], $3::text[], $4::text[], $5::date[], $6::timestamptz[], $7::boolean[])
         as g (id, user_id, kind, period, until_at, dry_run)
       on conflict (tenant_id, user_id, kind, period) where not dry_run do nothing
       returning id, tenant_id as "tenantId", generation`,
      [
        tenantId,
        own.map((run) => run.id),
        own.map((run) => run.userId),
        own.map((run) => run.kind),
        own.map((run) => run.period),
        own.map((run) => run.until),
        own.map((run) => run.dryRun),
      ],
    );
    added.push(...rows);
  }
  return added;
}

/** One run of a tenant, or undefined. */
export function findCompressionRun(
  sql: Sql,
  tenantId: string,
  id: string,
): Promise<CompressionRun | undefined> {
  return sql.maybeOne<CompressionRun>(
    `select ${COLUMNS} from compression_runs where tenant_id = $1::uuid and id = $2::uuid`,
    [tenantId, id],
  );
}

/** The run of a user's period that is no dry run, or undefined. Uses compression_runs_period_key. */
export function findRunOfPeriod(
  sql: Sql,
  run: Pick<NewCompressionRun, 'tenantId' | 'userId' | 'kind' | 'period'>,
): Promise<CompressionRun | undefined> {
  return sql.maybeOne<CompressionRun>(
    `select ${COLUMNS} from compression_runs
     where tenant_id = $1::uuid and user_id = $2::text and kind = $3::text and period = $4::date and not dry_run`,
    [run.tenantId, run.userId, run.kind, run.period],
  );
}

/** A run of a list; `position` is `created_at` with its microseconds, for the cursor. */
export type ListedCompressionRun = CompressionRun & Listed & Readonly<{ position: string }>;

/** The latest runs of a user, or of all users of a tenant, newest first. Uses compression_runs_user_idx. */
export async function listCompressionRuns(
  sql: Sql,
  filter: Readonly<{
    tenantId: string;
    userId: string | null;
    limit: number;
    before: Readonly<{ position: string; id: string }> | null;
  }>,
): Promise<ListedCompressionRun[]> {
  const { rows } = await sql.query<ListedCompressionRun>(
    `select ${COLUMNS}, row_number() over () < count(*) over () as more,
       to_char(created_at at time zone 'utc', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"') as position
     from (
       select * from compression_runs
       where tenant_id = $1::uuid and ($2::text is null or user_id = $2::text)
         and ($3::timestamptz is null or (created_at, id) < ($3::timestamptz, $4::uuid))
       order by created_at desc, id desc limit $5::integer
     ) page`,
    [
      filter.tenantId,
      filter.userId,
      filter.before?.position ?? null,
      filter.before?.id ?? null,
      filter.limit + 1,
    ],
  );
  return rows.slice(0, filter.limit);
}

/** A run in the form of the REST contract, without its decisions. */
export function toCompression(row: CompressionRun): Compression {
  return {
    id: row.id,
    user_id: row.userId,
    kind: row.kind,
    last_day: row.period,
    dry_run: row.dryRun,
    state: row.state,
    counts: row.counts,
    error: row.errorClass === null ? null : { class: row.errorClass, message: row.errorMessage ?? '' },
    created_at: row.createdAt.toISOString(),
    finished_at: row.finishedAt?.toISOString() ?? null,
  };
}

/** Starts a failed run again, with its stored answers. Resolves to undefined when it has not failed. */
export function restartCompressionRun(
  sql: Sql,
  tenantId: string,
  id: string,
): Promise<OpenCompressionRun | undefined> {
  return sql.maybeOne<OpenCompressionRun>(
    `update compression_runs
     set state = 'pending', generation = generation + 1, attempts = 0, lost_claims = 0, error_class = null,
         error_message = null, next_attempt_at = null, queue_checked_at = null, finished_at = null
     where tenant_id = $1::uuid and id = $2::uuid and state = 'failed'
     returning id, tenant_id as "tenantId", generation`,
    [tenantId, id],
  );
}

/**
 * Up to `limit` open runs that should be in the queue and that no sweeper has checked for `graceMs`, marked as
 * checked; see takeUnattended. Uses compression_runs_open_idx.
 */
export function takeUnattendedRuns(
  sql: Sql,
  options: Readonly<{ graceMs: number; limit: number }>,
): Promise<OpenCompressionRun[]> {
  return takeUnchecked<OpenCompressionRun>(sql, options, {
    table: 'compression_runs',
    since: 'created_at',
    order: 'created_at',
    isFirst: 'true',
    returning: 'r.id, r.tenant_id as "tenantId", r.generation',
  });
}

/**
 * Deletes the texts of runs that ended more than `days` ago: plans, decisions and answers. The rows stay, so that the
 * period counts as done. At most `limit` runs per call; resolves to how many.
 */
export async function purgeCompressionTexts(
  sql: Sql,
  options: Readonly<{ days: number; limit: number }>,
): Promise<number> {
  const { rows: old } = await sql.query<TenantRow>(
    `select id, tenant_id as "tenantId" from compression_runs
     where plan is not null and finished_at < now() - $1::integer * interval '1 day'
       and not is_held(tenant_id, user_id) limit $2::integer`,
    [options.days, options.limit],
  );
  for (const [tenantId, own] of Map.groupBy(old, (run) => run.tenantId)) {
    // One that was started again meanwhile, or is held now, keeps its texts.
    await sql.query(
      `with emptied as (
         update compression_runs set plan = null, decisions = null
         where tenant_id = $1::uuid and id = any($2::uuid[]) and finished_at is not null
           and not is_held(tenant_id, user_id)
         returning id
       )
       delete from compression_answers a using emptied where a.tenant_id = $1::uuid and a.run_id = emptied.id`,
      [tenantId, own.map(({ id }) => id)],
    );
  }
  return old.length;
}
