import type { WebhookPayload } from '@factmill/contracts';
import type { Sql } from '../../pool/sql.ts';
import { claimByTenant, lockDue, type TenantRow } from '../claim-by-tenant.ts';
import { type EventPosition, toNumbers } from './events.ts';

type Target = Readonly<{ tenantId: string; id: string }>;

/** Events that one call sends again at most. */
const MAX_REPLAYED = 10_000;

/**
 * Puts events that an endpoint has had, or was passed over with, back to be delivered, in their order and under the ids
 * that they had: one, or those after `after` up to `until`. What it has not reached yet comes anyway. Resolves to how
 * many, and the last of them when there may be more than MAX_REPLAYED. Uses events_pkey.
 */
export async function replayEvents(
  sql: Sql,
  { tenantId, id }: Target,
  range: Readonly<{ after: EventPosition; until: EventPosition | null; only: EventPosition | null }>,
): Promise<Readonly<{ count: number; last: EventPosition | null }>> {
  const [after, until, only] = [range.after, range.until, range.only].map((place) =>
    place === null ? [null, null] : toNumbers(place),
  );
  return sql.one(
    `with chosen as (
       select w.id, e.watermark, e.number, e.type from webhooks w join events e on e.tenant_id = w.tenant_id
       where w.tenant_id = $1::uuid and w.id = $2::uuid
         and (e.watermark, e.number) <= (w.watermark, w.number) and (w.types is null or e.type = any(w.types))
         and (e.watermark, e.number) > ($3::bigint, $4::bigint)
         and ($5::bigint is null or (e.watermark, e.number) <= ($5::bigint, $6::bigint))
         and ($7::bigint is null or (e.watermark, e.number) = ($7::bigint, $8::bigint))
       order by e.watermark, e.number limit $9::integer
     ), queued as (
       insert into webhook_deliveries (id, tenant_id, webhook_id, watermark, number, type)
       select new_uuid_v7(), $1::uuid, id, watermark, number, type from chosen
       on conflict (tenant_id, webhook_id, watermark, number) do update set state = 'pending'
       returning watermark, number
     )
     select count(*)::integer as count, case when count(*) = $9::integer then (
       select watermark || '-' || number from queued order by watermark desc, number desc limit 1) end as last
     from queued`,
    [tenantId, id, ...after!, ...until!, ...only!, MAX_REPLAYED],
  );
}

/** Asks for a test delivery, at once even while the endpoint fails. Resolves to false when it is disabled, or gone. */
export async function requestTestDelivery(
  sql: Sql,
  { tenantId, id }: Target,
  newId: string,
): Promise<boolean> {
  const { rowCount } = await sql.query(
    `with asked as (
       update webhooks set next_attempt_at = least(next_attempt_at, now())
       where tenant_id = $1::uuid and id = $2::uuid and disabled_at is null returning tenant_id, id
     )
     insert into webhook_deliveries (id, tenant_id, webhook_id, type)
     select $3::uuid, tenant_id, id, 'webhook.test' from asked`,
    [tenantId, id, newId],
  );
  return rowCount > 0;
}

/** An endpoint that one worker delivers to, until its lease ends or another worker claims it. */
export type WebhookClaim = Readonly<{ tenantId: string; id: string; fence: number }>;

const DUE = `r.disabled_at is null and r.next_attempt_at <= now()
  and (r.lease_until is null or r.lease_until <= now())
  and (exists (select from webhook_deliveries d
      where d.tenant_id = r.tenant_id and d.webhook_id = r.id and d.state = 'pending')
    or exists (select from events e where e.tenant_id = r.tenant_id
      and (e.watermark, e.number) > (r.watermark, r.number) and e.watermark < event_horizon()))`;

/**
 * Claims the endpoint that has waited longest and has something to be delivered, of all tenants; undefined without one.
 * Concurrent callers get different ones. Uses webhooks_due_idx.
 */
export async function claimDueWebhook(sql: Sql, leaseMs: number): Promise<WebhookClaim | undefined> {
  const [claimed] = await claimByTenant(
    1,
    async (most) => {
      const { rows } = await sql.query<TenantRow>(
        `select r.tenant_id as "tenantId", r.id from webhooks r where ${DUE}
         order by r.next_attempt_at limit $1::integer`,
        [most],
        { name: 'read_due_webhooks' },
      );
      return rows;
    },
    async (tenantId, ids) => {
      const { rows } = await sql.query<WebhookClaim>(
        `with due as (${lockDue('webhooks', DUE)})
         update webhooks w set fence = w.fence + 1, lease_until = now() + $3::integer * interval '1 millisecond'
         from due where w.tenant_id = $1::uuid and w.id = due.id
         returning w.tenant_id as "tenantId", w.id, w.fence`,
        [tenantId, ids, leaseMs],
        { name: 'claim_due_webhook' },
      );
      return rows;
    },
  );
  return claimed;
}

/** One request to an endpoint. */
export type NextDelivery = Readonly<{
  id: string;
  url: string;
  payload: WebhookPayload;
  /** Those that sign, the newest first. */
  secrets: readonly string[];
  /** Deliveries that have failed in a row before this one. */
  failures: number;
  event: Readonly<{
    id: string;
    type: string;
    timestamp: string;
    user_id: string | null;
    data: Readonly<Record<string, unknown>>;
  }>;
}>;

/** What a claimed endpoint gets next; null for nothing, or when the claim is over. Extends the lease. */
export async function nextWebhookDelivery(
  sql: Sql,
  claim: WebhookClaim,
  leaseMs: number,
): Promise<NextDelivery | null> {
  const { delivery } = await sql.one<{ delivery: NextDelivery | null }>(
    `select next_webhook_delivery($1::uuid, $2::uuid, $3::integer, $4::integer) as delivery`,
    [claim.tenantId, claim.id, claim.fence, leaseMs],
    { name: 'next_webhook_delivery' },
  );
  return delivery;
}

export type DeliveryOutcome = Readonly<{
  delivered: boolean;
  status: number | null;
  /** A code; null when there was an answer. */
  error: string | null;
  durationMs: number;
}>;

/**
 * Writes down how a delivery ended. One that failed stays pending, and its endpoint waits for `delayMs` of the number of
 * failures; a failed test is over. An endpoint is disabled when it is gone, or has done nothing but fail for
 * `disableAfterHours`. Does nothing when the claim is not the latest. Resolves to whether the endpoint may get more.
 */
export async function settleDelivery(
  sql: Sql,
  claim: WebhookClaim,
  delivery: NextDelivery,
  outcome: DeliveryOutcome,
  rules: Readonly<{ delayMs: (failures: number) => number; disableAfterHours: number }>,
): Promise<boolean> {
  const isTest = delivery.event.type === 'webhook.test';
  const isFailure = !outcome.delivered && !isTest;
  const { rows } = await sql.query<{ enabled: boolean }>(
    `with hook as (
       update webhooks set
         failures = case when $5::boolean then failures + 1 when $4::boolean then 0 else failures end,
         failing_since = case when $5::boolean then coalesce(failing_since, now()) when not $4::boolean then failing_since
           end,
         next_attempt_at = case when $5::boolean then now() + $6::integer * interval '1 millisecond' else now() end,
         disabled_at = case
           when $7::boolean or $5::boolean and failing_since < now() - $8::integer * interval '1 hour'
           then coalesce(disabled_at, now()) else disabled_at end,
         disabled_reason = case when disabled_at is not null then disabled_reason when $7::boolean then 'gone'
           when $5::boolean and failing_since < now() - $8::integer * interval '1 hour' then 'failing' end
       where tenant_id = $1::uuid and id = $2::uuid and fence = $3::integer
       returning id, disabled_at is null as enabled
     ), logged as (
       update webhook_deliveries d set attempts = d.attempts + 1, attempted_at = now(), status = $10::integer,
         error = $11::text, duration_ms = $12::integer,
         state = case when $4::boolean then 'delivered' when $13::boolean then 'failed' else 'pending' end
       from hook where d.tenant_id = $1::uuid and d.id = $9::uuid
     )
     select enabled from hook`,
    [
      claim.tenantId,
      claim.id,
      claim.fence,
      outcome.delivered,
      isFailure,
      isFailure ? rules.delayMs(delivery.failures + 1) : 0,
      outcome.status === 410,
      rules.disableAfterHours,
      delivery.id,
      outcome.status,
      outcome.error,
      outcome.durationMs,
      isTest,
    ],
  );
  return !isFailure && rows[0]?.enabled === true;
}

/** Ends a claim before its lease. */
export async function releaseWebhook(sql: Sql, claim: WebhookClaim): Promise<void> {
  await sql.query(
    `update webhooks set lease_until = null where tenant_id = $1::uuid and id = $2::uuid and fence = $3::integer`,
    [claim.tenantId, claim.id, claim.fence],
  );
}

/** Milliseconds until an endpoint may be tried again, of those that are failing; infinite without any. */
export async function nextWebhookDueMs(sql: Sql): Promise<number> {
  const { ms } = await sql.one<{ ms: number }>(
    `select coalesce(extract(epoch from min(greatest(next_attempt_at, lease_until)) - now()) * 1000, 'infinity')::float8
       as ms
     from webhooks where disabled_at is null and (failures > 0 or lease_until is not null)`,
  );
  return ms;
}
