import type { ExtractionState } from '@factmill/contracts';
import type { Database, Sql } from '../../pool/sql.ts';
import { fitting, jsonBytes, type Listed } from '../fitting.ts';

export type ExtractionRow = Readonly<{
  id: string;
  acceptedNo: number;
  userId: string;
  conversationId: string;
  fromSeq: number;
  toSeq: number;
  trigger: string;
  preset: string;
  state: ExtractionState;
  attempts: number;
  reason: string | null;
  /** When the last worker began. */
  claimedAt: Date | null;
  /** Until when it waits because a budget is used up; null when it does not. */
  deferredUntil: Date | null;
  errorClass: string | null;
  errorMessage: string | null;
  /** Why the model is down, for an extraction that waits for it and was never tried; null when it is not down. */
  outage: string | null;
  degraded: string | null;
  added: number;
  updated: number;
  deleted: number;
  unchanged: number;
  rejected: number;
  /** Why candidates were not stored: reason → count; null for none. */
  rejections: Record<string, number> | null;
  memoryIds: string[];
  model: string | null;
  modelCalls: number;
  promptTokens: number | null;
  completionTokens: number | null;
  modelMs: number | null;
  embedMs: number | null;
  applyMs: number | null;
  metadata: Record<string, unknown>;
  acceptedAt: Date;
  nextAttemptAt: Date | null;
  startedAt: Date | null;
  finishedAt: Date | null;
}>;

const COLUMNS = `id, accepted_no as "acceptedNo", user_id as "userId", conversation_id as "conversationId",
  from_seq as "fromSeq", to_seq as "toSeq", trigger, preset, state, attempts, reason,
  case when state = 'pending' then deferred_until end as "deferredUntil",
  error_class as "errorClass", error_message as "errorMessage",
  case when state = 'pending' and error_class is null then (
    -- One that nobody tries any more belongs to an endpoint that is not configured now.
    select b.reason from provider_breakers b
      where b.opened_at is not null and b.provider like 'llm:%' and b.next_probe_at > now() - interval '1 minute'
      order by b.opened_at desc limit 1) end as outage,
  degraded, added, updated, deleted, unchanged,
  rejected, rejections, memory_ids as "memoryIds", model, model_calls as "modelCalls", prompt_tokens as "promptTokens",
  completion_tokens as "completionTokens", model_ms as "modelMs", embed_ms as "embedMs", apply_ms as "applyMs",
  metadata, accepted_at as "acceptedAt", next_attempt_at as "nextAttemptAt", started_at as "startedAt",
  claimed_at as "claimedAt", finished_at as "finishedAt"`;

/** One ledger row of a tenant (of this user unless null), or undefined. */
export function findExtraction(
  sql: Sql,
  tenantId: string,
  id: string,
  userId: string | null = null,
): Promise<ExtractionRow | undefined> {
  return sql.maybeOne<ExtractionRow>(
    `select ${COLUMNS} from extractions
     where tenant_id = $1::uuid and id = $2::uuid and ($3::text is null or user_id = $3::text)`,
    [tenantId, id, userId],
  );
}

export type ExtractionFilter = Readonly<{
  tenantId: string;
  state: ExtractionState | null;
  reason: string | null;
  errorClass: string | null;
  trigger: string | null;
  userId: string | null;
  conversationId: string | null;
  since: string | null;
  until: string | null;
  beforeNo: number | null;
  limit: number;
}>;

/**
 * Ledger rows, newest first, as many as fit into an answer. Uses extractions_list_idx, extractions_user_idx, or for what
 * failed or was dropped extractions_troubled_idx, whose condition has to stand in the statement.
 */
export async function listExtractions(
  sql: Sql,
  filter: ExtractionFilter,
): Promise<(ExtractionRow & Listed)[]> {
  const { rows } = await sql.query<ExtractionRow & Listed>(
    fitting(
      `select ${COLUMNS} from extractions
     where tenant_id = $1::uuid
       and ($2::text is null or state = $2::text)
       and ($3::text is null or user_id = $3::text)
       and ($4::text is null or conversation_id = $4::text)
       and ($5::timestamptz is null or accepted_at >= $5::timestamptz)
       and ($6::bigint is null or accepted_no < $6::bigint)
       and ($8::text is null or reason = $8::text)
       and ($9::text is null or error_class = $9::text)
       and ($10::text is null or trigger = $10::text)
       and ($11::timestamptz is null or accepted_at < $11::timestamptz)
       ${isTroubled(filter.state) ? `and state in ('failed', 'dropped')` : ''}
     order by accepted_no desc limit $7::integer`,
      `2000 + 40 * coalesce(cardinality(page."memoryIds"), 0) + ${jsonBytes('page.metadata')}`,
    ),
    [
      filter.tenantId,
      filter.state,
      filter.userId,
      filter.conversationId,
      filter.since,
      filter.beforeNo,
      filter.limit + 1,
      filter.reason,
      filter.errorClass,
      filter.trigger,
      filter.until,
    ],
  );
  return rows.slice(0, filter.limit);
}

function isTroubled(state: ExtractionState | null): boolean {
  return state === 'failed' || state === 'dropped';
}

export type ReplayedExtraction = Readonly<{ id: string; tenantId: string; generation: number }>;

const RESET = `state = 'pending', generation = generation + 1, attempts = 0, lost_claims = 0, reason = null, deferred_until = null, error_class = null,
  error_message = null, degraded = null, rejections = null, next_attempt_at = null, queue_checked_at = null, started_at = null,
  finished_at = null, claimed_by = null, lease_until = null`;

export type ReplayFilter = Readonly<{
  tenantId: string;
  ids: readonly string[] | null;
  state: ExtractionState | null;
  userId: string | null;
  since: string | null;
  until: string | null;
  limit: number;
}>;

/**
 * Starts ended extractions again. The pinned answer of a `done` one is set aside, so that the model is asked again;
 * that of a failed or dropped one is kept, so that a replay does not pay twice. A queue limit (0 is unlimited) bounds
 * the number: a replay drops nothing.
 *
 * Those whose messages retention has emptied stay as they are.
 *
 * @param filter `ids`, or all that match state, user and period; at most `limit`, oldest first
 */
export function replayExtractions(
  database: Database,
  filter: ReplayFilter,
  limits: Readonly<{ queueLimit: number; tenantQueueLimit: number }>,
): Promise<ReplayedExtraction[]> {
  return database.transaction(
    async (tx) => {
      const room = await readQueueRoom(tx, filter.tenantId, limits);
      return resetExtractions(tx, { ...filter, limit: Math.min(filter.limit, room) });
    },
    { maxAttempts: 3 },
  );
}

/** Whether retention has emptied messages that an extraction is about. */
export async function hasEmptiedMessages(sql: Sql, tenantId: string, id: string): Promise<boolean> {
  const row = await sql.maybeOne(
    `select from extractions e join conversations c on c.tenant_id = e.tenant_id and c.id = e.conversation_id
     where e.tenant_id = $1::uuid and e.id = $2::uuid and c.removed_seq >= e.from_seq`,
    [tenantId, id],
  );
  return row !== undefined;
}

/** How many more extractions can wait; the number stays true until the end of the transaction. */
async function readQueueRoom(
  tx: Sql,
  tenantId: string,
  limits: Readonly<{ queueLimit: number; tenantQueueLimit: number }>,
): Promise<number> {
  if (limits.queueLimit === 0 && limits.tenantQueueLimit === 0) return Number.POSITIVE_INFINITY;
  // The lock of accept_conversations; in its own statement, so that the count sees what committed while it waited.
  await tx.query(`select pg_advisory_xact_lock(hashtext('factmill.drop_oldest'))`);
  const waiting = await tx.one<{ all: number; own: number }>(
    `select count(*)::integer as "all", (count(*) filter (where tenant_id = $1::uuid))::integer as own
     from extractions where state = 'pending' and started_at is null`,
    [tenantId],
  );
  const room = (limit: number, used: number) =>
    limit === 0 ? Number.POSITIVE_INFINITY : Math.max(0, limit - used);
  return Math.min(room(limits.queueLimit, waiting.all), room(limits.tenantQueueLimit, waiting.own));
}

async function resetExtractions(tx: Sql, filter: ReplayFilter): Promise<ReplayedExtraction[]> {
  const { rows } = await tx.query<ReplayedExtraction>(
    `with chosen as (
       select id, state from extractions
       where tenant_id = $1::uuid and state in ('done', 'failed', 'dropped', 'skipped')
         and ($2::uuid[] is null or id = any($2::uuid[]))
         and ($3::text is null or state = $3::text)
         and ($4::text is null or user_id = $4::text)
         and ($5::timestamptz is null or accepted_at >= $5::timestamptz)
         and ($6::timestamptz is null or accepted_at < $6::timestamptz)
         and not exists (select from conversations c where c.tenant_id = extractions.tenant_id
           and c.id = extractions.conversation_id and c.removed_seq >= extractions.from_seq)
       order by accepted_no limit $7::integer for update
     ), unpinned as (
       update extraction_outputs o set status = 'rejected'
       from chosen where o.tenant_id = $1::uuid and o.extraction_id = chosen.id and chosen.state = 'done' and o.status = 'pinned'
     )
     update extractions e set ${RESET} from chosen where e.tenant_id = $1::uuid and e.id = chosen.id
     returning e.id, e.tenant_id as "tenantId", e.generation`,
    [filter.tenantId, filter.ids, filter.state, filter.userId, filter.since, filter.until, filter.limit],
  );
  return rows;
}
