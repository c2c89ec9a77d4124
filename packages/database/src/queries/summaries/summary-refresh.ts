import type { Sql } from '../../pool/sql.ts';
import { claimByTenant, lockDue, type TenantRow } from '../claim-by-tenant.ts';
import { ADD_SUMMARY_VERSION, DROP_OLD_SUMMARY_VERSIONS } from './summaries.ts';

/** The follow-up work of a preset after its extraction. */
export type PostApply = Readonly<{
  /** Maximum of memories per conversation; 0 for all. */
  maxEntries: number;
  /** How the user's narrative is made; null for no narrative. */
  userSummary: 'model' | 'composed' | null;
  conversationSummary: boolean;
}>;

/** A summary that one worker has claimed. The worker may write until the summary is claimed again or replaced. */
export type SummaryClaim = Readonly<{
  id: string;
  tenantId: string;
  userId: string;
  /** '' for the user's narrative. */
  conversationId: string;
  content: string | null;
  coversSeq: number;
  refreshedBy: 'model' | 'composed' | null;
  changeNo: string;
  fence: number;
  attempts: number;
  failures: number;
  /** How far the conversation has been extracted; null for a narrative. */
  extractedSeq: number | null;
}>;

/**
 * Claims the summary that has been due longest for `leaseMs`; undefined when none is due. Concurrent callers get
 * different ones. An expired lease is no obstacle: its holder died, or is fenced off from now on. Uses
 * summaries_refresh_idx.
 *
 * Summaries by a model are left alone while a budget of their tenant is used up.
 *
 * @param request.byModel whether summaries by a model may be claimed; after `maxAttempts` a summary is no longer
 *   written by a model
 */
export async function claimDueSummary(
  sql: Sql,
  { leaseMs, ...request }: Readonly<{ leaseMs: number; byModel: boolean; maxAttempts: number }>,
): Promise<SummaryClaim | undefined> {
  const due = (byModel: string, maxAttempts: string) => `r.refresh_at <= now()
    and (r.lease_until is null or r.lease_until <= now())
    and (r.refreshed_by = 'composed' or r.attempts >= ${maxAttempts}::integer
      or (${byModel}::boolean and not exists (select from budget_exhausted(r.tenant_id))))`;
  const [claimed] = await claimByTenant(
    1,
    async (most) => {
      const { rows } = await sql.query<TenantRow>(
        `select r.tenant_id as "tenantId", r.id from summaries r where ${due('$2', '$3')}
         order by r.refresh_at limit $1::integer`,
        [most, request.byModel, request.maxAttempts],
        { name: 'read_due_summaries' },
      );
      return rows;
    },
    async (tenantId, ids) => {
      const { rows } = await sql.query<SummaryClaim>(
        `with due as (${lockDue('summaries', due('$3', '$4'))})
     update summaries s
     set fence = s.fence + 1, lease_until = now() + $5::integer * interval '1 millisecond',
         stale_since = coalesce(s.stale_since, now())
     from due where s.tenant_id = $1::uuid and s.id = due.id
     returning s.id, s.tenant_id as "tenantId", s.user_id as "userId", s.conversation_id as "conversationId",
       s.content, s.covers_seq as "coversSeq", s.refreshed_by as "refreshedBy", s.change_no::text as "changeNo",
       s.fence, s.attempts, s.failures,
       (select c.extracted_seq from conversations c
        where c.tenant_id = s.tenant_id and c.id = s.of_conversation) as "extractedSeq"`,
        [tenantId, ids, request.byModel, request.maxAttempts, leaseMs],
        { name: 'claim_due_summary' },
      );
      return rows;
    },
  );
  return claimed;
}

/** The result of a refresh. The content is null when there is nothing to say: the summary is then empty. */
export type SummaryText = Readonly<{
  content: string | null;
  source: 'model' | 'composed';
  promptVersion: string;
  model: string | null;
}>;

export type NewSummary = Readonly<{
  /** Null: the text stays. */
  text: SummaryText | null;
  coversSeq: number;
  memoryCount: number | null;
  /** When the first memory in it expires, so that it becomes due again. */
  expiresAt: Date | null;
  /** There is more input: it stays stale and is due at once. */
  more: boolean;
}>;

/**
 * Writes a refreshed summary; changes since its claim keep it stale. Resolves to false, without effect, when it was
 * claimed or replaced since.
 */
export async function saveSummary(sql: Sql, claim: SummaryClaim, summary: NewSummary): Promise<boolean> {
  const { text } = summary;
  const { saved } = await sql.one<{ saved: boolean }>(
    `with before as (
       select id, content, change_no = $5::bigint and not $13::boolean as fresh from summaries
       where tenant_id = $2::uuid and id = $3::uuid and fence = $4::integer and lease_until is not null for update
     ), changed as (
       update summaries s
       set content = case when $6::boolean then $7::text else s.content end,
           source = case when not $6::boolean then s.source when $7::text is not null then $8::text end,
           prompt_version = case when $6::boolean then $9::text else s.prompt_version end,
           model = case when $6::boolean then $10::text else s.model end,
           covers_seq = $11::integer,
           memory_count = case when $6::boolean then $12::integer else s.memory_count end,
           version = s.version + ($6::boolean and s.content is distinct from $7::text)::integer,
           updated_at = case when $6::boolean then now() else s.updated_at end,
           stale_since = case when not before.fresh then now() end,
           refresh_at = case when before.fresh then $14::timestamptz when $13::boolean then now()
             else now() + interval '2 seconds' end,
           lease_until = null, attempts = 0, failures = 0, error_class = null
       from before where s.tenant_id = $2::uuid and s.id = before.id
       returning s.*, s.content is not null and before.content is distinct from s.content as is_new
     ), versions as (${ADD_SUMMARY_VERSION}), dropped as (${DROP_OLD_SUMMARY_VERSIONS})
     select exists (select from changed) as saved`,
    [
      'refresh',
      claim.tenantId,
      claim.id,
      claim.fence,
      claim.changeNo,
      text !== null,
      text?.content ?? null,
      text?.source ?? null,
      text?.promptVersion ?? null,
      text?.model ?? null,
      summary.coversSeq,
      summary.memoryCount,
      summary.more,
      summary.expiresAt,
    ],
    { name: 'save_summary' },
  );
  return saved;
}

/** Puts a summary back for another attempt after `delayMs`. */
export async function releaseSummary(
  sql: Sql,
  claim: SummaryClaim,
  release: Readonly<{ delayMs: number; failed: boolean; countsAsAttempt: boolean; errorClass: string }>,
): Promise<void> {
  await sql.query(
    `update summaries
     set lease_until = null, failures = failures + $5::integer,
         attempts = attempts + $6::integer, error_class = $7::text,
         refresh_at = now() + $4::integer * interval '1 millisecond'
     where tenant_id = $1::uuid and id = $2::uuid and fence = $3::integer and lease_until is not null`,
    [
      claim.tenantId,
      claim.id,
      claim.fence,
      release.delayMs,
      release.failed ? 1 : 0,
      release.countsAsAttempt ? 1 : 0,
      release.errorClass,
    ],
  );
}

/** How many summaries wait for a refresh, counted up to 10,000. Uses summaries_refresh_idx. */
export async function countStaleSummaries(sql: Sql): Promise<number> {
  const { count } = await sql.one<{ count: number }>(
    `select count(*)::integer as count from (
       select 1 from summaries where refresh_at is not null and (stale_since is not null or refresh_at <= now())
       limit 10000) as waiting`,
  );
  return count;
}
