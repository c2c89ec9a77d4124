import {
  type ExtractionCounts,
  MAX_COUNTED_EXTRACTIONS,
  type SeriesInterval,
  type SeriesPoint,
} from '@factmill/contracts';
import type { Sql } from '../../pool/sql.ts';

type LedgerPeriod = Readonly<{
  tenantId: string;
  /** Null for all users. */
  userId: string | null;
  since: string | null;
  until: string | null;
}>;

/**
 * The newest extractions of a period, with a tenant's by extractions_accepted_idx and a user's by extractions_user_idx.
 * `accepted_no > 0` holds for all and is a condition of the first.
 */
function newestOf({ userId }: LedgerPeriod): string {
  return `select * from extractions
     where tenant_id = $1::uuid and accepted_no > 0 and ($2::text is null or user_id = $2::text)
       and ($3::timestamptz is null or accepted_at >= $3::timestamptz)
       and ($4::timestamptz is null or accepted_at < $4::timestamptz)
     order by ${userId === null ? 'accepted_at' : 'accepted_no'} desc limit ${MAX_COUNTED_EXTRACTIONS}`;
}

const parametersOf = ({ tenantId, userId, since, until }: LedgerPeriod) => [tenantId, userId, since, until];

/** What has become of the extractions of a period, by several measures at once. */
export async function countExtractions(
  sql: Sql,
  period: LedgerPeriod,
): Promise<Readonly<{ counts: Omit<ExtractionCounts, 'truncated'>; isTruncated: boolean }>> {
  const by = (column: string) =>
    `(select coalesce(json_object_agg(name, number), '{}') from (
        select ${column} as name, count(*) as number from ledger where ${column} is not null group by 1) as c)`;
  const row = await sql.one<Omit<ExtractionCounts, 'truncated'> & { number: number }>(
    `with ledger as materialized (
       select state, reason, error_class, trigger, rejections from (${newestOf(period)}) as newest
     )
     select (select count(*)::integer from ledger) as number, ${by('state')} as by_state, ${by('reason')} as by_reason,
       ${by('error_class')} as by_error, ${by('trigger')} as by_trigger,
       (select coalesce(json_object_agg(name, number), '{}') from (
          select r.key as name, sum(r.value::integer) as number
          from ledger cross join lateral jsonb_each_text(ledger.rejections) as r
          where ledger.rejections is not null group by r.key) as c) as rejections`,
    parametersOf(period),
  );
  const { number, ...counts } = row;
  return { counts, isTruncated: number >= MAX_COUNTED_EXTRACTIONS };
}

/** The intervals of a period in which something was accepted, oldest first. Intervals are counted from the year 2000. */
export async function listExtractionSeries(
  sql: Sql,
  period: LedgerPeriod,
  interval: SeriesInterval,
): Promise<Readonly<{ points: SeriesPoint[]; isTruncated: boolean }>> {
  const of = (condition: string) => `(count(*) filter (where ${condition}))::integer`;
  const latency = (share: number) =>
    `(percentile_disc(${share}) within group (order by extract(epoch from finished_at - accepted_at) * 1000)
       filter (where state = 'done'))::integer`;
  const { rows } = await sql.query<Omit<SeriesPoint, 'at'> & { at: Date }>(
    `select date_bin($5::interval, accepted_at, timestamptz '2000-01-01 00:00:00Z') as at,
       count(*)::integer as accepted,
       ${of(`state = 'done'`)} as done, ${of(`state = 'failed'`)} as failed, ${of(`state = 'dropped'`)} as dropped,
       ${of(`state = 'skipped'`)} as skipped, ${of(`state = 'active'`)} as active,
       ${of(`state = 'pending' and deferred_until > now()`)} as deferred,
       ${of(`state = 'pending' and coalesce(deferred_until <= now(), true)`)} as waiting,
       ${latency(0.5)} as latency_p50_ms, ${latency(0.95)} as latency_p95_ms,
       sum(model_calls)::integer as model_calls,
       coalesce(sum(prompt_tokens), 0)::float8 as prompt_tokens,
       coalesce(sum(completion_tokens), 0)::float8 as completion_tokens
     from (${newestOf(period)}) as newest group by 1 order by 1`,
    [...parametersOf(period), `1 ${interval}`],
  );
  const points = rows.map(({ at, ...point }) => ({ at: at.toISOString(), ...point }));
  const number = points.reduce((sum, { accepted }) => sum + accepted, 0);
  return { points, isTruncated: number >= MAX_COUNTED_EXTRACTIONS };
}
