import { AppError } from '@factmill/errors';
import type { Sql } from '../../pool/sql.ts';
import type { TenantRow } from '../claim-by-tenant.ts';

/** A place in the order of events: `watermark-number`. Both are larger than a JavaScript number can be. */
export type EventPosition = string;

/** Before the first event. */
export const FIRST_EVENT: EventPosition = '0-0';

export type EventRow = Readonly<{
  /** Its place. */
  id: EventPosition;
  type: string;
  createdAt: Date;
  userId: string | null;
  data: Readonly<Record<string, unknown>>;
}>;

export type EventPage = Readonly<{
  events: readonly EventRow[];
  /** Where to read on: everything before it is here, was here, or is of other users or types. */
  next: EventPosition;
}>;

/**
 * The events of a tenant after a place, in their order. Those of transactions that may still be joined by earlier ones
 * are left for later, so that no reader passes one by. Uses events_pkey, for one user events_user_idx.
 *
 * @param request.userId null: of all users, and those that name none
 * @param request.types null: all
 * @throws AppError `events_gone` when events after that place were removed for their age
 */
export async function readEvents(
  sql: Sql,
  request: Readonly<{
    tenantId: string;
    after: EventPosition;
    userId: string | null;
    types: readonly string[] | null;
    limit: number;
  }>,
): Promise<EventPage> {
  const { rows } = await sql.query<EventRow & Readonly<{ horizon: string; isGone: boolean }>>(
    `select horizon::text, e.watermark || '-' || e.number as id, e.type, e.created_at as "createdAt",
       e.user_id as "userId", e.data,
       ($2::bigint, $3::bigint) < (t.events_cut_watermark, t.events_cut_number) as "isGone"
     from event_horizon() as horizon cross join (select * from tenants where id = $1::uuid) as t left join lateral (
       select * from events
       where tenant_id = $1::uuid and (watermark, number) > ($2::bigint, $3::bigint) and watermark < horizon
         and ${request.userId === null ? '$4::text is null' : 'user_id = $4::text'}
         and ($5::text[] is null or type = any($5::text[]))
       order by watermark, number limit $6::integer) as e on true
     order by e.watermark, e.number`,
    [request.tenantId, ...toNumbers(request.after), request.userId, request.types, request.limit],
  );
  if (rows[0]?.isGone === true && request.after !== FIRST_EVENT) {
    throw new AppError(
      'events_gone',
      'Events after this place are not kept any more. Read what you need anew, and begin without it, or with `now`.',
      { fields: [{ field: 'after', message: 'is older than the oldest event' }] },
    );
  }
  // Without events there is one row, with the horizon alone.
  const events = rows
    .filter(({ id }) => id !== null)
    .map(({ id, type, createdAt, userId, data }) => ({ id, type, createdAt, userId, data }));
  const last = events.at(-1);
  if (last !== undefined && events.length === request.limit) return { events, next: last.id };
  return { events, next: later(request.after, `${rows[0]?.horizon ?? 0}-0`) };
}

/** The place after everything that has been committed. */
export async function readEventHorizon(sql: Sql): Promise<EventPosition> {
  const { position } = await sql.one<{ position: string }>(`select event_horizon() || '-0' as position`);
  return position;
}

const OLD = `created_at < now() - $1::integer * interval '1 day'`;

/** How many events of a tenant are older than that. */
export async function countOldEvents(sql: Sql, tenantId: string, days: number): Promise<number> {
  const { count } = await sql.one<{ count: number }>(
    `select count(*)::integer as count from events
     where tenant_id = $2::uuid and ${OLD} and not is_held(tenant_id, coalesce(user_id, ''))`,
    [days, tenantId],
  );
  return count;
}

/** The first events of a tenant that may go, oldest first. $2: how many. */
const firstEvents = (tenantId: string) => `select watermark, number, created_at from events
  where tenant_id = ${tenantId} and not is_held(tenant_id, coalesce(user_id, ''))
  order by watermark, number limit $2::integer`;

/**
 * Deletes up to `limit` events of a tenant that are older than `days`, and notes how far. Those of users under a legal
 * hold stay.
 */
export async function removeOldEvents(
  sql: Sql,
  options: Readonly<{ tenantId: string; days: number; limit: number }>,
): Promise<number> {
  const { count } = await sql.one<{ count: number }>(
    `with gone as (
       delete from events d using (${firstEvents('$3::uuid')}) as old
       where old.${OLD} and d.tenant_id = $3::uuid and d.watermark = old.watermark and d.number = old.number
       returning d.watermark, d.number
     ), last as (
       select * from gone order by watermark desc, number desc limit 1
     ), noted as (
       update tenants t set events_cut_watermark = last.watermark, events_cut_number = last.number from last
       where t.id = $3::uuid
         and (last.watermark, last.number) > (t.events_cut_watermark, t.events_cut_number)
     ) select count(*)::integer as count from gone`,
    [options.days, options.limit, options.tenantId],
  );
  return count;
}

/** Deletes up to `limit` events of each tenant, and entries of delivery logs, that are older than `days`. */
export async function purgeEvents(
  sql: Sql,
  { days, limit }: Readonly<{ days: number; limit: number }>,
): Promise<number> {
  let events = 0;
  const { rows: tenants } = await sql.query<{ id: string }>(
    `select t.id from tenants t
     where exists (select from (${firstEvents('t.id')}) as old where old.${OLD})`,
    [days, limit],
  );
  for (const { id: tenantId } of tenants) events += await removeOldEvents(sql, { tenantId, days, limit });
  const { rows: old } = await sql.query<TenantRow>(
    `select e.tenant_id as "tenantId", e.id from webhooks w cross join lateral (
       select * from webhook_deliveries where tenant_id = w.tenant_id and webhook_id = w.id
       order by created_at, id limit $2::integer) as e
     where e.${OLD} and e.state <> 'pending'`,
    [days, limit],
  );
  for (const [tenantId, own] of Map.groupBy(old, (delivery) => delivery.tenantId)) {
    // One that was sent again meanwhile is pending.
    await sql.query(
      `delete from webhook_deliveries where tenant_id = $1::uuid and id = any($2::uuid[]) and state <> 'pending'`,
      [tenantId, own.map(({ id }) => id)],
    );
  }
  return Math.max(events, old.length);
}

/** Watermark and number of a place. */
export function toNumbers(position: EventPosition): readonly [watermark: string, number: string] {
  const [watermark = '0', number = '0'] = position.split('-');
  return [watermark, number];
}

function later(one: EventPosition, other: EventPosition): EventPosition {
  return toComparable(one) > toComparable(other) ? one : other;
}

function toComparable(position: EventPosition): bigint {
  const [watermark, number] = toNumbers(position);
  return (BigInt(watermark) << 64n) + BigInt(number);
}
