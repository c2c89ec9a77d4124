import type { Sql } from '../../pool/sql.ts';
import { type ClaimResult, compressionClaims, type ErrorRecord, type HeldClaim, leased } from '../claims.ts';
import type { CompressionKind } from './compression-runs.ts';

/** A compression run that one worker has claimed. */
export type RunClaim = Readonly<{
  id: string;
  tenantId: string;
  userId: string;
  kind: CompressionKind;
  until: Date;
  dryRun: boolean;
  attempts: number;
  fence: number;
  lostClaims: number;
  /** The plan of an earlier claim; null at the first. */
  plan: unknown;
}>;

/** A run that waits for a budget asks again after so long at most; a raised budget lets it go on at once. */
const DEFERRED_FOR = `interval '5 minutes'`;

/**
 * Claims a run for a worker: raises the fence and starts a lease. The rules are those of claimExtraction.
 *
 * @param request.asksModel whether the run costs anything, so that it waits while a budget is used up
 */
export async function claimCompressionRun(
  sql: Sql,
  request: Readonly<{ tenantId: string; id: string; workerId: string; leaseMs: number; asksModel: boolean }>,
): Promise<ClaimResult<RunClaim, null>> {
  if (request.asksModel && (await deferRun(sql, request))) return { kind: 'deferred' };
  const claim = await sql.maybeOne<RunClaim>(
    `update compression_runs
     set state = 'active', fence = fence + 1, lost_claims = lost_claims + (state = 'active')::integer,
         started_at = coalesce(started_at, now()), claimed_by = $3::text,
         lease_until = now() + $4::integer * interval '1 millisecond'
     where tenant_id = $1::uuid and id = $2::uuid
       and (state = 'pending' or (state = 'active' and (lease_until <= now() or claimed_by = $3::text)))
     returning id, tenant_id as "tenantId", user_id as "userId", kind, until_at as until, dry_run as "dryRun",
       attempts, fence, lost_claims as "lostClaims", plan`,
    [request.tenantId, request.id, request.workerId, request.leaseMs],
  );
  if (claim !== undefined) return { kind: 'claimed', claim, input: null };
  const row = await sql.maybeOne<{ state: string; leftMs: number | null }>(
    `select state, (extract(epoch from lease_until - now()) * 1000)::integer as "leftMs"
     from compression_runs where tenant_id = $1::uuid and id = $2::uuid`,
    [request.tenantId, request.id],
  );
  if (row?.state === 'active' || row?.state === 'pending') return leased(row.leftMs ?? 0);
  return { kind: 'finished', state: row?.state ?? 'gone', next: null };
}

/** Has a run wait when a budget of its tenant is used up. */
async function deferRun(sql: Sql, run: Readonly<{ tenantId: string; id: string }>): Promise<boolean> {
  const { rowCount } = await sql.query(
    `update compression_runs
     set next_attempt_at = least(b.until, now() + ${DEFERRED_FOR}), queue_checked_at = null, error_class = 'budget',
       error_message = 'A budget of the tenant is used up; the compression waits for the next period, or until it is raised.'
     from budget_exhausted($1::uuid) b
     where tenant_id = $1::uuid and id = $2::uuid and state = 'pending'`,
    [run.tenantId, run.id],
  );
  return rowCount > 0;
}

/** Stores a run's plan. @throws AppError `fenced` */
export async function saveCompressionPlan(sql: Sql, claim: HeldClaim, plan: unknown): Promise<void> {
  const { rowCount } = await sql.query(
    `update compression_runs set plan = $3::jsonb
     where id = $1::uuid and tenant_id = $4::uuid and fence = $2::integer and state = 'active'`,
    [claim.id, claim.fence, JSON.stringify(plan), claim.tenantId],
  );
  if (rowCount === 0) throw compressionClaims.fencedOff();
}

export type CompressionAnswer = Readonly<{
  step: string;
  status: 'pinned' | 'rejected';
  model: string;
  promptVersion: string;
  raw: string;
  finishReason: string | null;
  promptTokens: number;
  completionTokens: number;
  modelMs: number;
}>;

/**
 * Stores an answer and adds its cost to the run; one statement with a fence check. A step that has a pinned answer
 * keeps it. @throws AppError `fenced`
 */
export async function saveCompressionAnswer(
  sql: Sql,
  claim: HeldClaim,
  answer: CompressionAnswer,
): Promise<void> {
  const { held } = await sql.one<{ held: boolean }>(
    `with held as (
       update compression_runs
       set model_calls = model_calls + 1, prompt_tokens = prompt_tokens + $9::integer,
           completion_tokens = completion_tokens + $10::integer, model_ms = model_ms + $11::integer
       where id = $1::uuid and tenant_id = $12::uuid and fence = $2::integer and state = 'active'
       returning id, tenant_id
     ), kept as (
       insert into compression_answers (run_id, tenant_id, step, number, status, model, prompt_version, raw,
         finish_reason)
       select held.id, held.tenant_id, $3::text, (select coalesce(max(a.number), 0) + 1 from compression_answers a
           where a.run_id = held.id and a.tenant_id = $12::uuid and a.step = $3::text),
         $4::text, $5::text, $6::text, $7::text, $8::text
       from held
       on conflict (tenant_id, run_id, step) where status = 'pinned' do nothing
     )
     select exists (select from held) as held`,
    [
      claim.id,
      claim.fence,
      answer.step,
      answer.status,
      answer.model,
      answer.promptVersion,
      // Postgres text cannot hold NUL, which a model can emit.
      answer.raw.replaceAll('\u0000', '\uFFFD').toWellFormed(),
      answer.finishReason,
      answer.promptTokens,
      answer.completionTokens,
      answer.modelMs,
      claim.tenantId,
    ],
  );
  if (!held) throw compressionClaims.fencedOff();
}

/** The answers of a run: pinned ones with their text, and the steps that were given up. */
export async function readCompressionAnswers(
  sql: Sql,
  runId: string,
): Promise<Pick<CompressionAnswer, 'step' | 'status' | 'raw'>[]> {
  const { rows } = await sql.query<Pick<CompressionAnswer, 'step' | 'status' | 'raw'>>(
    `select step, status, raw from compression_answers where run_id = $1::uuid order by step, number`,
    [runId],
  );
  return rows;
}

/** Ends a run: `done` in the transaction that changed the memories, or `proposed`. @throws AppError `fenced` */
export async function finishCompressionRun(
  tx: Sql,
  claim: HeldClaim,
  end: Readonly<{ state: 'done' | 'proposed'; decisions: unknown; counts: Readonly<Record<string, number>> }>,
): Promise<void> {
  const { rowCount } = await tx.query(
    `update compression_runs
     set state = $3::text, decisions = $4::jsonb, counts = $5::jsonb, attempts = attempts + 1, lease_until = null,
         next_attempt_at = null, error_class = null, error_message = null, finished_at = clock_timestamp()
     where id = $1::uuid and tenant_id = $6::uuid and fence = $2::integer and state = 'active'`,
    [
      claim.id,
      claim.fence,
      end.state,
      JSON.stringify(end.decisions),
      JSON.stringify(end.counts),
      claim.tenantId,
    ],
  );
  if (rowCount === 0) throw compressionClaims.fencedOff();
}

/** Ends a run as failed. No memory was changed, the answers stay, and the run can be started again. */
export async function failCompressionRun(sql: Sql, claim: HeldClaim, error: ErrorRecord): Promise<void> {
  await sql.query(
    `update compression_runs
     set state = 'failed', attempts = attempts + 1, lease_until = null, next_attempt_at = null, finished_at = now(),
         error_class = $3::text, error_message = $4::text
     where id = $1::uuid and tenant_id = $5::uuid and fence = $2::integer and state = 'active'`,
    [claim.id, claim.fence, error.errorClass, error.errorMessage, claim.tenantId],
  );
}
