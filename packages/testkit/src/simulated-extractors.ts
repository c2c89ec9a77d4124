import { type AutoscalerRules, createAutoscaler, SYNC_SECONDS } from './autoscaler.ts';

/** What a simulation needs of a database. */
type Queries = Readonly<{
  query: (text: string, values?: readonly unknown[]) => Promise<Readonly<{ rows: unknown[] }>>;
}>;

const ARRIVE = `
  with arrived as (
    insert into conversations (tenant_id, id, user_id)
    select $1::uuid, gen_random_uuid()::text, 'user-' || n from generate_series(1, $2::integer) as n returning id, user_id
  )
  insert into extractions (id, tenant_id, user_id, conversation_id, from_seq, to_seq, trigger, preset)
  select new_uuid_v7(), $1::uuid, user_id, id, 1, 1, 'request', 'standard' from arrived`;

/** Time passes by dating back what is open. */
const PASS = `
  update extractions set accepted_at = accepted_at - span, claimed_at = claimed_at - span, lease_until = lease_until - span
  from (select $1::float8 * interval '1 second' as span) as passed where state in ('pending', 'active')`;

const FINISH = `
  update extractions set state = 'done', finished_at = claimed_at + $1::float8 * interval '1 second'
  where state = 'active' and claimed_at <= now() - $1::float8 * interval '1 second'`;

const TAKE = `
  update extractions set state = 'active', started_at = now(), claimed_at = now(), lease_until = now() + interval '1 day'
  where id in (select id from extractions where state = 'pending' order by accepted_no limit greatest(0,
    $1::integer - (select count(*) from extractions where state = 'active')))`;

const OPEN = `select count(*)::integer as n from extractions where state in ('pending', 'active')`;

export type SimulatedScaling = Readonly<{
  sql: Queries;
  tenantId: string;
  rules: AutoscalerRules;
  /** Slots of each replica. */
  concurrency: number;
  /** What the autoscaler reads. */
  readMetric: () => Promise<number>;
}>;

/** Between two looks of the autoscaler: what arrives, and whether workers can take it. */
export type SimulatedStep = Readonly<{ arriving?: number; isDown?: boolean }>;

/**
 * Extractors as rows of the ledger, in as many replicas as an autoscaler wants. Each extraction takes `SYNC_SECONDS`, the
 * oldest are taken first, and a new replica is ready one step later. Time passes only in steps, so half an hour takes
 * seconds.
 */
export function createSimulatedExtractors(given: SimulatedScaling) {
  const { sql, rules, concurrency } = given;
  const autoscaler = createAutoscaler(rules);
  let clock = 0;
  let wanted = rules.minReplicas;
  let ready = wanted;

  async function step({ arriving = 0, isDown = false }: SimulatedStep = {}) {
    clock += SYNC_SECONDS;
    await sql.query(PASS, [SYNC_SECONDS]);
    await sql.query(FINISH, [SYNC_SECONDS]);
    if (arriving > 0) await sql.query(ARRIVE, [given.tenantId, arriving]);
    await sql.query(TAKE, [isDown ? 0 : ready * concurrency]);
    // What was wanted before is ready by now. What is not wanted any more takes nothing further.
    ready = wanted;
    wanted = autoscaler.decide(clock, wanted, await given.readMetric());
    ready = Math.min(ready, wanted);
    const { rows } = await sql.query(OPEN);
    return { replicas: wanted, open: (rows[0] as { n: number }).n };
  }
  return { step };
}
