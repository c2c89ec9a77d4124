import type { Sql } from '../../pool/sql.ts';
import { type ClaimResult, type ErrorRecord, type HeldClaim, leased, replayClaims } from '../claims.ts';
import type { Claim, CoveredMessage } from '../extractions/ledger.ts';
import { takeUnchecked } from '../take-unchecked.ts';

/** A run of a replay that one worker has claimed. What it extracts is as in a Claim; a change has no messages. */
export type ReplayClaim = Claim &
  Readonly<{
    replayId: string;
    kind: 'extract' | 'apply' | 'undo';
    /** The extraction that is replayed; null for a change. */
    extractionId: string | null;
    /** The model to ask in place of the configured one; null for that one. */
    model: string | null;
    /** The prompt template to use in place of the preset's own. */
    prompt: string | null;
  }>;

/** A run as the queue sees it. */
export type OpenReplayRun = Readonly<{ id: string; tenantId: string }>;

/** A run that waits for a budget asks again after so long at most; a raised budget lets it go on at once. */
const DEFERRED_FOR = `interval '5 minutes'`;

/** No earlier run `r` of the same user is open. */
const IS_FIRST = `not exists (select from replay_runs o
  where o.tenant_id = r.tenant_id and o.replay_id = r.replay_id and o.user_id = r.user_id
    and o.state in ('pending', 'active') and o.position < r.position)`;

/**
 * Claims a run for a worker: raises the fence and starts a lease. The rules are those of claimExtraction, in the order of
 * the user's runs.
 *
 * @param request.asksModel whether a model is configured: then the run waits while a budget is used up, unless its answer
 *   is there already
 */
export async function claimReplayRun(
  sql: Sql,
  request: Readonly<{ tenantId: string; id: string; workerId: string; leaseMs: number; asksModel: boolean }>,
): Promise<ClaimResult<ReplayClaim, null>> {
  if (request.asksModel && (await deferRun(sql, request))) return { kind: 'deferred' };
  const claim = await sql.maybeOne<ReplayClaim>(
    `with claimed as (
       update replay_runs r
       set state = 'active', fence = fence + 1, lost_claims = lost_claims + (state = 'active')::integer,
           started_at = coalesce(started_at, now()), claimed_by = $3::text, deferred_until = null, reason = null,
           lease_until = now() + $4::integer * interval '1 millisecond'
       where tenant_id = $1::uuid and id = $2::uuid and ${IS_FIRST}
         and (state = 'pending' or (state = 'active' and (lease_until <= now() or claimed_by = $3::text)))
       returning *
     )
     select c.id, c.tenant_id as "tenantId", c.user_id as "userId", c.replay_id as "replayId", c.kind,
       c.extraction_id as "extractionId", coalesce(e.conversation_id, '') as "conversationId",
       coalesce(e.from_seq, 0) as "fromSeq", coalesce(e.to_seq, 0) as "toSeq",
       coalesce(p.preset, e.preset, '') as preset, p.model, p.prompt, c.attempts, c.fence,
       c.lost_claims as "lostClaims", null as traceparent, false as "isProbe"
     from claimed c join replays p on p.tenant_id = c.tenant_id and p.id = c.replay_id
     left join extractions e on e.tenant_id = c.tenant_id and e.id = c.extraction_id`,
    [request.tenantId, request.id, request.workerId, request.leaseMs],
  );
  if (claim !== undefined) return { kind: 'claimed', claim, input: null };
  const row = await sql.maybeOne<{ state: string; leftMs: number | null }>(
    `select state, case when state = 'active' then (extract(epoch from lease_until - now()) * 1000)::integer end
       as "leftMs"
     from replay_runs where tenant_id = $1::uuid and id = $2::uuid`,
    [request.tenantId, request.id],
  );
  if (row?.state === 'active') return leased(row.leftMs ?? 0);
  // The end of the earlier one asks for it.
  if (row?.state === 'pending') return { kind: 'blocked' };
  return { kind: 'finished', state: row?.state ?? 'gone', next: null };
}

/** Has a run wait when a budget of its tenant is used up. */
async function deferRun(sql: Sql, run: Readonly<{ tenantId: string; id: string }>): Promise<boolean> {
  const { rowCount } = await sql.query(
    `update replay_runs r
     set next_attempt_at = least(b.until, now() + ${DEFERRED_FOR}), queue_checked_at = null,
       deferred_until = b.until, reason = b.reason
     from budget_exhausted($1::uuid) b
     where r.tenant_id = $1::uuid and r.id = $2::uuid and r.state = 'pending' and r.kind = 'extract'
       and not exists (select from replays p where p.tenant_id = r.tenant_id and p.id = r.replay_id
         and p.model = 'extractive')
       and not exists (select from replay_answers a where a.tenant_id = r.tenant_id and a.run_id = r.id
         and a.status = 'pinned')`,
    [run.tenantId, run.id],
  );
  return rowCount > 0;
}

/** What a run extracts from, as it is now: without messages that have gone. */
export async function readReplayInput(
  sql: Sql,
  claim: ReplayClaim,
): Promise<Readonly<{ messages: CoveredMessage[]; hasDocuments: boolean }>> {
  const { rows: messages } = await sql.query<CoveredMessage>(
    `select m.id, m.seq, m.role, coalesce(m.content, '') as content, m.name, m.tool_calls as "toolCalls",
       m.tool_call_id as "toolCallId", m.channel, m.sender, m.created_at as "createdAt"
     from extractions e join messages m on m.tenant_id = e.tenant_id and m.conversation_id = e.conversation_id
     where e.tenant_id = $1::uuid and e.id = $2::uuid and not m.superseded and m.removed_at is null
       -- A regenerated reply says little without what it replies to.
       and m.seq between least(e.from_seq, (select max(q.seq) from messages q
           where q.tenant_id = e.tenant_id and q.conversation_id = e.conversation_id and q.role = 'user'
             and q.seq < e.replaces_from_seq)) and e.to_seq
     order by m.seq`,
    [claim.tenantId, claim.extractionId],
  );
  const { has } = await sql.one<{ has: boolean }>(
    'select exists (select from documents where tenant_id = $1::uuid and user_id = $2::text) as has',
    [claim.tenantId, claim.userId],
  );
  return { messages, hasDocuments: has };
}

/** Ends a run, in the transaction that wrote what came of it. @throws AppError `fenced` */
export async function finishReplayRun(
  tx: Sql,
  claim: HeldClaim,
  { counts, changed = null }: Readonly<{ counts: Readonly<Record<string, number>>; changed?: unknown }>,
): Promise<void> {
  const { rowCount } = await tx.query(
    `update replay_runs
     set state = 'done', counts = $3::jsonb, changed = $4::jsonb, attempts = attempts + 1, lease_until = null,
         next_attempt_at = null, error_class = null, error_message = null, finished_at = clock_timestamp()
     where id = $1::uuid and tenant_id = $5::uuid and fence = $2::integer and state = 'active'`,
    [
      claim.id,
      claim.fence,
      JSON.stringify(counts),
      changed === null ? null : JSON.stringify(changed),
      claim.tenantId,
    ],
  );
  if (rowCount === 0) throw replayClaims.fencedOff();
}

/** Ends a run as failed. What is served stays as it is for its extraction. */
export async function failReplayRun(sql: Sql, claim: HeldClaim, error: ErrorRecord): Promise<void> {
  await sql.query(
    `update replay_runs
     set state = 'failed', attempts = attempts + 1, lease_until = null, next_attempt_at = null, finished_at = now(),
         error_class = $3::text, error_message = $4::text
     where id = $1::uuid and tenant_id = $5::uuid and fence = $2::integer and state = 'active'`,
    [claim.id, claim.fence, error.errorClass, error.errorMessage, claim.tenantId],
  );
}

/** The open run that comes after an ended one of the same user, or undefined. Uses replay_runs_order_idx. */
export function nextReplayRun(sql: Sql, run: OpenReplayRun): Promise<OpenReplayRun | undefined> {
  return sql.maybeOne<OpenReplayRun>(
    `select n.id, n.tenant_id as "tenantId"
     from replay_runs r join replay_runs n on n.tenant_id = r.tenant_id and n.replay_id = r.replay_id
       and n.user_id = r.user_id and n.position > r.position
     where r.tenant_id = $1::uuid and r.id = $2::uuid and r.state in ('done', 'failed')
       and n.state in ('pending', 'active')
     order by n.position limit 1`,
    [run.tenantId, run.id],
  );
}

/** The runs of a replay that can begin at once, `limit` of them; the sweeper asks for the rest. */
export async function listReplayHeads(
  sql: Sql,
  replay: Readonly<{ tenantId: string; id: string; limit: number }>,
): Promise<OpenReplayRun[]> {
  const { rows } = await sql.query<OpenReplayRun>(
    `select r.id, r.tenant_id as "tenantId" from replay_runs r
     where r.tenant_id = $1::uuid and r.replay_id = $2::uuid and r.state = 'pending' and ${IS_FIRST}
     order by r.user_id, r.position limit $3::integer`,
    [replay.tenantId, replay.id, replay.limit],
  );
  return rows;
}

/**
 * Up to `limit` open runs that should be in the queue and that no sweeper has checked for `graceMs`, marked as checked;
 * see takeUnattended. Uses replay_runs_open_idx.
 */
export function takeUnattendedReplayRuns(
  sql: Sql,
  options: Readonly<{ graceMs: number; limit: number }>,
): Promise<OpenReplayRun[]> {
  return takeUnchecked<OpenReplayRun>(sql, options, {
    table: 'replay_runs',
    since: 'created_at',
    order: 'created_at',
    isFirst: IS_FIRST,
    returning: 'r.id, r.tenant_id as "tenantId"',
  });
}
