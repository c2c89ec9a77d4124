import type { Sql } from '../../pool/sql.ts';

/** What another worker could take now, and what is in work, over all tenants. */
export type QueuePressure = Readonly<{
  /** How long the longest waiting one could have been taken; 0 when none waits. */
  oldestWaitingSeconds: number;
  waiting: number;
  active: number;
  /** Those that wait for a budget. */
  deferred: number;
  /** Nothing is taken: a provider is down, or extraction is switched off. */
  paused: boolean;
  /** Mean duration of the latest extractions; null before any. */
  meanSeconds: number | null;
  /** As many as are active, and as many as work off what waits before the oldest has waited for the target. */
  wantedSlots: number;
}>;

/** Until the first extraction has ended. */
const ASSUMED_SECONDS = 5;

/**
 * Nobody probes the breaker of a model that has been replaced, so it would stay open for good. A probe is due every few
 * seconds, and hangs for LLM_TIMEOUT_MS at most.
 */
const PROBED_WITHIN = '10 minutes';

/**
 * Measures the work that more workers would help with. Left out is what waits for its time, for an earlier extraction of
 * its conversation or for a budget; and everything while a provider is down or extraction is switched off. Time that
 * was spent waiting for an earlier extraction does not count either.
 *
 * Reads all open extractions: extractions_conversation_open_idx, and conversations_pkey for each that waits. The mean is
 * that of up to 1,000 before the oldest (extractions_list_idx).
 */
export function readQueuePressure(
  sql: Sql,
  given: Readonly<{ isEnabled: boolean; targetWaitSeconds: number }>,
): Promise<QueuePressure> {
  return sql.one<QueuePressure>(
    `with rest as materialized (
       select not $1::boolean or exists (
         select from provider_breakers where provider like 'llm:%' and opened_at is not null
           and next_probe_at > now() - interval '${PROBED_WITHIN}') as paused
     ), exhausted as materialized (
       select tenant_id from (select distinct tenant_id from budgets) as limited
       where exists (select from budget_exhausted(limited.tenant_id))
     ), working as materialized (
       select tenant_id, conversation_id from extractions where state = 'active' and lease_until > now()
     ), first as (
       select distinct on (tenant_id, conversation_id) tenant_id, conversation_id, accepted_no, accepted_at,
         case state when 'active' then lease_until else greatest(next_attempt_at, deferred_until) end as due_at
       from extractions where state in ('pending', 'active')
       order by tenant_id, conversation_id, accepted_no
     ), waiting as materialized (
       select f.tenant_id, f.accepted_no, greatest(f.accepted_at, f.due_at, c.extracted_at) as since
       from first f join conversations c on c.tenant_id = f.tenant_id and c.id = f.conversation_id
       where not (select paused from rest) and coalesce(f.due_at <= now(), true)
         and f.tenant_id not in (select tenant_id from exhausted)
         and not exists (
           select from working w where w.tenant_id = f.tenant_id and w.conversation_id = f.conversation_id)
     ), pace as materialized (
       select avg(extract(epoch from e.finished_at - e.claimed_at))::float8 as seconds
       from (select tenant_id, accepted_no from waiting order by since limit 1) as oldest
         cross join lateral (
           select state, claimed_at, finished_at from extractions
           where tenant_id = oldest.tenant_id and accepted_no < oldest.accepted_no
           order by accepted_no desc limit 1000) as e
       where e.state = 'done'
     ), counted as (
       select count(*)::integer as waiting,
         coalesce(extract(epoch from now() - min(since)), 0)::float8 as oldest,
         (select count(*)::integer from working) as active
       from waiting
     )
     select oldest as "oldestWaitingSeconds", waiting, active, paused, seconds as "meanSeconds",
       (select count(*)::integer from extractions where state = 'pending'
         and (deferred_until > now() or tenant_id in (select tenant_id from exhausted))) as deferred,
       active + ceil(waiting * each / greatest(each, $2::float8 - oldest))::integer as "wantedSlots"
     from counted cross join rest cross join pace
       cross join lateral (select greatest(coalesce(seconds, ${ASSUMED_SECONDS}), 0.001) as each) as assumed`,
    [given.isEnabled, given.targetWaitSeconds],
    { name: 'read_queue_pressure' },
  );
}
