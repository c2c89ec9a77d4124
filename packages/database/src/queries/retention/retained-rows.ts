import type { Retained, RetentionDays } from '@factmill/contracts';
import type { Sql } from '../../pool/sql.ts';
import { countAuditBefore, cutAudit } from '../audit/cut-audit.ts';
import { countOldEvents, removeOldEvents } from '../events/events.ts';

/** What is old enough to go: of a tenant, after so many days; null where only users may have a number of days. */
type Aged = Readonly<{ tenantId: string; days: number | null }>;

/** One kind of rows with an age. */
type RetainedRows = Readonly<{
  name: Retained;
  days: keyof RetentionDays;
  /** Users may have a number of days in place of the tenant's. */
  isOfUsers?: true;
  count: (sql: Sql, aged: Aged) => Promise<number>;
  /** Removes some; `after` is where the round before ended. `next` null: nothing is left. */
  remove: (tx: Sql, aged: Aged, after: string) => Promise<Removed>;
}>;

type Removed = Readonly<{ removed: number; next: string | null }>;

/** Rows of one statement, so that it ends soon and holds up nobody. */
const ROWS_AT_ONCE = 1_000;
const CONVERSATIONS_AT_ONCE = 50;
const MESSAGES_OF_ONE_AT_ONCE = 500;
/** Each may have many memories. */
const REPLAYS_AT_ONCE = 10;

// The clause about age: $1 the tenant, $2 the days.
const isOld = (time: string, days = '$2::integer') => `${time} < now() - ${days} * interval '1 day'`;

/** Up to which message everything of a conversation `c` is extracted, or is not going to be. */
const DONE_SEQ = `least(case when c.extraction_due_at is null then c.last_seq else c.scheduled_seq end,
  (select min(e.from_seq) - 1 from extractions e
   where e.tenant_id = c.tenant_id and e.conversation_id = c.id and e.state in ('pending', 'active')))`;

/** Conversations `c` whose messages have an age: that of their user `u`, else that of the tenant. */
const DAYS = 'coalesce(u.retention_days, $2::integer)';
const CONVERSATIONS = `conversations c
  left join users u on u.tenant_id = c.tenant_id and u.user_id = c.user_id
  where c.tenant_id = $1::uuid and c.removed_seq < c.last_seq and ${DAYS} is not null
    and not is_held(c.tenant_id, c.user_id)`;

async function countMessages(sql: Sql, { tenantId, days }: Aged): Promise<number> {
  const { count } = await sql.one<{ count: number }>(
    `select count(*)::integer as count from (
       select c.id, c.removed_seq, ${DAYS} as days, ${DONE_SEQ} as done_seq from ${CONVERSATIONS}
     ) p join messages m on m.tenant_id = $1::uuid and m.conversation_id = p.id
       and m.seq > p.removed_seq and m.seq <= p.done_seq and ${isOld('m.received_at', 'p.days')}`,
    [tenantId, days],
  );
  return count;
}

/**
 * Takes what was said out of messages, those of each conversation from its beginning on. Id, role and time stay. What
 * waits for extraction stays whole, however old it is. Goes through the conversations by id.
 */
async function removeMessages(tx: Sql, { tenantId, days }: Aged, after: string): Promise<Removed> {
  return tx.one<Removed>(
    `with page as materialized (
       select c.id, c.removed_seq, ${DAYS} as days, ${DONE_SEQ} as done_seq from ${CONVERSATIONS} and c.id > $3::text order by c.id limit ${CONVERSATIONS_AT_ONCE}
     ), through as materialized (
       select p.id, p.removed_seq, max(m.seq) as last_seq,
         least(max(m.seq), p.removed_seq + ${MESSAGES_OF_ONE_AT_ONCE}) as seq
       from page p join messages m on m.tenant_id = $1::uuid and m.conversation_id = p.id
         and m.seq > p.removed_seq and m.seq <= p.done_seq and ${isOld('m.received_at', 'p.days')}
       group by p.id, p.removed_seq
     ), parts as (
       delete from turn_parts t using through
       where t.tenant_id = $1::uuid and t.conversation_id = through.id and t.seq <= through.seq
     ), marked as (
       update conversations c
       set removed_seq = through.seq, indexed_seq = greatest(c.indexed_seq, through.seq)
       from through where c.tenant_id = $1::uuid and c.id = through.id
     ), emptied as (
       update messages m set content = null, name = null, tool_calls = null, tool_call_id = null, channel = null,
         sender = null, removed_at = now()
       from through where m.tenant_id = $1::uuid and m.conversation_id = through.id
         and m.seq > through.removed_seq and m.seq <= through.seq
       returning m.seq
     )
     select (select count(*)::integer from emptied) as removed,
       -- The same page again while one of its conversations has more.
       case when exists (select from through where last_seq > seq) then $3::text
         else (select max(id) from page having count(*) = ${CONVERSATIONS_AT_ONCE}) end as next`,
    [tenantId, days, after],
  );
}

const OUTPUTS = `extraction_outputs o join extractions e on e.tenant_id = o.tenant_id and e.id = o.extraction_id
  where o.tenant_id = $1::uuid and ${isOld('o.created_at')} and e.state not in ('pending', 'active')
    and not is_held(e.tenant_id, e.user_id)`;

/**
 * The last version before the moment stays, without what it replaced: searches as of a later moment need it. All before
 * it go.
 */
const VERSIONS = `memory_versions v cross join lateral (select exists (select from memory_versions later
    where later.memory_id = v.memory_id and later.tenant_id = v.tenant_id and later.number > v.number
      and ${isOld('later.created_at')}) as replaced) as seen
  where v.tenant_id = $1::uuid and ${isOld('v.created_at')} and (seen.replaced or v.before is not null)
    and not is_held(v.tenant_id, v.user_id)`;

async function count(sql: Sql, rows: string, { tenantId, days }: Aged): Promise<number> {
  const found = await sql.one<{ count: number }>(`select count(*)::integer as count from ${rows}`, [
    tenantId,
    days,
  ]);
  return found.count;
}

async function remove(
  tx: Sql,
  statement: string,
  { tenantId, days }: Aged,
  atOnce = ROWS_AT_ONCE,
): Promise<Removed> {
  const { removed } = await tx.one<{ removed: number }>(statement, [tenantId, days]);
  return { removed, next: removed < atOnce ? null : '' };
}

const REMOVE_OUTPUTS = `with gone as (
    delete from extraction_outputs
    where tenant_id = $1::uuid and ctid = any(array(select o.ctid from ${OUTPUTS} limit ${ROWS_AT_ONCE}))
    returning number
  ) select count(*)::integer as removed from gone`;

/** None that is at work. Those of all users go unless the whole tenant is held. */
const REPLAYS = `replays p where p.tenant_id = $1::uuid and ${isOld('p.created_at')}
  and not is_held(p.tenant_id, coalesce(p.user_id, ''))
  and not exists (select from replay_runs r where r.tenant_id = p.tenant_id and r.replay_id = p.id
    and r.state in ('pending', 'active'))`;

const REMOVE_REPLAYS = `with gone as (
    delete from replays
    where tenant_id = $1::uuid and ctid = any(array(select p.ctid from ${REPLAYS} limit ${REPLAYS_AT_ONCE}))
    returning id
  ) select count(*)::integer as removed from gone`;

const REMOVE_VERSIONS = `with old as materialized (
    select v.ctid as place, seen.replaced from ${VERSIONS} limit ${ROWS_AT_ONCE}
  ), gone as (
    delete from memory_versions
    where tenant_id = $1::uuid and ctid = any(array(select place from old where replaced))
  ), shortened as (
    update memory_versions set before = null
    where tenant_id = $1::uuid and ctid = any(array(select place from old where not replaced))
  ) select count(*)::integer as removed from old`;

/** All that has an age, in the order in which a run removes it. */
export const RETAINED_ROWS: readonly RetainedRows[] = [
  { name: 'messages', days: 'messages_days', isOfUsers: true, count: countMessages, remove: removeMessages },
  {
    name: 'outputs',
    days: 'outputs_days',
    count: (sql, aged) => count(sql, OUTPUTS, aged),
    remove: (tx, aged) => remove(tx, REMOVE_OUTPUTS, aged),
  },
  {
    name: 'replays',
    days: 'outputs_days',
    count: (sql, aged) => count(sql, REPLAYS, aged),
    remove: (tx, aged) => remove(tx, REMOVE_REPLAYS, aged, REPLAYS_AT_ONCE),
  },
  {
    name: 'versions',
    days: 'versions_days',
    count: (sql, aged) => count(sql, VERSIONS, aged),
    remove: (tx, aged) => remove(tx, REMOVE_VERSIONS, aged),
  },
  {
    name: 'events',
    days: 'events_days',
    count: (sql, { tenantId, days }) =>
      days === null ? Promise.resolve(0) : countOldEvents(sql, tenantId, days),
    async remove(tx, { tenantId, days }) {
      if (days === null) return { removed: 0, next: null };
      const removed = await removeOldEvents(tx, { tenantId, days, limit: ROWS_AT_ONCE });
      return { removed, next: removed < ROWS_AT_ONCE ? null : '' };
    },
  },
  { name: 'audit_records', days: 'audit_days', count: countAuditBefore, remove: cutAudit },
];
