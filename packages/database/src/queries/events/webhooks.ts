import type { WebhookPayload } from '@factmill/contracts';
import type { Sql } from '../../pool/sql.ts';
import type { EventPosition } from './events.ts';

export type WebhookRow = Readonly<{
  id: string;
  url: string;
  /** Null: all. */
  types: readonly string[] | null;
  payload: WebhookPayload;
  disabledAt: Date | null;
  disabledReason: DisabledReason | null;
  failures: number;
  failingSince: Date | null;
  nextAttemptAt: Date;
  /** Until when the secret before this one signs too. */
  previousSecretUntil: Date | null;
  createdAt: Date;
  updatedAt: Date;
}>;

/** `request`: by a call. `gone`: the endpoint answered 410. `failing`: for too long. */
type DisabledReason = 'request' | 'gone' | 'failing';

const COLUMNS = `id, url, types, payload, disabled_at as "disabledAt", disabled_reason as "disabledReason", failures,
  failing_since as "failingSince", next_attempt_at as "nextAttemptAt",
  previous_secret_until as "previousSecretUntil", created_at as "createdAt", updated_at as "updatedAt"`;

/** Endpoints of one tenant: a bound, which calls at the same moment may pass by a few. */
export const MAX_WEBHOOKS = 50;

type Target = Readonly<{ tenantId: string; id: string }>;

/** Adds an endpoint for the events from now on; undefined when the tenant has MAX_WEBHOOKS. */
export function insertWebhook(
  sql: Sql,
  webhook: Target &
    Readonly<{
      url: string;
      types: readonly string[] | null;
      payload: WebhookPayload;
      secret: string;
      enabled: boolean;
    }>,
): Promise<WebhookRow | undefined> {
  return sql.maybeOne<WebhookRow>(
    `insert into webhooks (tenant_id, id, url, types, secret, payload, watermark, number, disabled_at,
       disabled_reason)
     select $1::uuid, $2::uuid, $3::text, $4::text[], $5::text, $8::text, event_horizon(), 0,
       case when not $6::boolean then now() end, case when not $6::boolean then 'request' end
     where (select count(*) from webhooks where tenant_id = $1::uuid) < $7::integer
     returning ${COLUMNS}`,
    [
      webhook.tenantId,
      webhook.id,
      webhook.url,
      webhook.types,
      webhook.secret,
      webhook.enabled,
      MAX_WEBHOOKS,
      webhook.payload,
    ],
  );
}

/** All endpoints of a tenant, oldest first. */
export async function listWebhooks(sql: Sql, tenantId: string): Promise<WebhookRow[]> {
  const { rows } = await sql.query<WebhookRow>(
    `select ${COLUMNS} from webhooks where tenant_id = $1::uuid order by created_at, id`,
    [tenantId],
  );
  return rows;
}

export function findWebhook(sql: Sql, { tenantId, id }: Target): Promise<WebhookRow | undefined> {
  return sql.maybeOne<WebhookRow>(
    `select ${COLUMNS} from webhooks where tenant_id = $1::uuid and id = $2::uuid`,
    [tenantId, id],
  );
}

export type WebhookChanges = Readonly<{
  url?: string | undefined;
  /** Null: all. */
  types?: readonly string[] | null | undefined;
  payload?: WebhookPayload | undefined;
  enabled?: boolean | undefined;
}>;

/**
 * Changes an endpoint. Enabled again, it gets what it has missed, in order. A new address or being enabled forgets
 * earlier failures; so does nothing else.
 */
export function updateWebhook(
  sql: Sql,
  { tenantId, id }: Target,
  changes: WebhookChanges,
): Promise<WebhookRow | undefined> {
  return sql.maybeOne<WebhookRow>(
    `update webhooks set
       url = coalesce($3::text, url),
       types = case when $4::boolean then $5::text[] else types end,
       payload = coalesce($7::text, payload),
       disabled_at = case when $6::boolean then null when not $6::boolean then coalesce(disabled_at, now())
         else disabled_at end,
       disabled_reason = case when $6::boolean then null when not $6::boolean then coalesce(disabled_reason, 'request')
         else disabled_reason end,
       failures = case when $3::text is not null or $6::boolean then 0 else failures end,
       failing_since = case when $3::text is not null or $6::boolean then null else failing_since end,
       next_attempt_at = case when $3::text is not null or $6::boolean then now() else next_attempt_at end,
       updated_at = now()
     where tenant_id = $1::uuid and id = $2::uuid
     returning ${COLUMNS}`,
    [
      tenantId,
      id,
      changes.url ?? null,
      changes.types !== undefined,
      changes.types ?? null,
      changes.enabled ?? null,
      changes.payload ?? null,
    ],
  );
}

/** Deletes an endpoint with its log. Resolves to false when there is none. */
export async function deleteWebhook(sql: Sql, { tenantId, id }: Target): Promise<boolean> {
  const { rowCount } = await sql.query('delete from webhooks where tenant_id = $1::uuid and id = $2::uuid', [
    tenantId,
    id,
  ]);
  return rowCount > 0;
}

/** Gives an endpoint another secret; the one before signs too for `overlapHours`. */
export function rotateWebhookSecret(
  sql: Sql,
  { tenantId, id }: Target,
  secret: string,
  overlapHours: number,
): Promise<WebhookRow | undefined> {
  return sql.maybeOne<WebhookRow>(
    `update webhooks set previous_secret = secret, secret = $3::text,
       previous_secret_until = now() + $4::integer * interval '1 hour', updated_at = now()
     where tenant_id = $1::uuid and id = $2::uuid
     returning ${COLUMNS}`,
    [tenantId, id, secret, overlapHours],
  );
}

/** A place in the log; null before the newest. */
export type DeliveryPosition = Readonly<{ position: string; id: string }> | null;

export type DeliveryRow = Readonly<{
  id: string;
  /** Null for a test. */
  eventId: EventPosition | null;
  type: string;
  state: 'pending' | 'delivered' | 'failed';
  attempts: number;
  status: number | null;
  error: string | null;
  durationMs: number | null;
  createdAt: Date;
  attemptedAt: Date | null;
  /** `created_at` with its microseconds, for the cursor. */
  position: string;
}>;

/** The log of an endpoint, newest first. Uses webhook_deliveries_list_idx. */
export async function listDeliveries(
  sql: Sql,
  request: Readonly<{
    tenantId: string;
    webhookId: string;
    state: DeliveryRow['state'] | null;
    before: DeliveryPosition;
    limit: number;
  }>,
): Promise<DeliveryRow[]> {
  const { rows } = await sql.query<DeliveryRow>(
    `select id, watermark || '-' || number as "eventId", type, state, attempts, status, error,
       duration_ms as "durationMs", created_at as "createdAt", attempted_at as "attemptedAt",
       to_char(created_at at time zone 'utc', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"') as position
     from webhook_deliveries
     where tenant_id = $1::uuid and webhook_id = $2::uuid and ($3::text is null or state = $3::text)
       and ($4::timestamptz is null or (created_at, id) < ($4::timestamptz, $5::uuid))
     order by created_at desc, id desc limit $6::integer`,
    [
      request.tenantId,
      request.webhookId,
      request.state,
      request.before?.position ?? null,
      request.before?.id ?? null,
      request.limit,
    ],
  );
  return rows;
}
