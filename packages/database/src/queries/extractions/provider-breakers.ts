import type { Sql } from '../../pool/sql.ts';

/**
 * Whether a provider may be called.
 * - `granted`: it works (closed)
 * - `probe`: it is down, and this call is the probe that is due (half-open)
 * - `denied`: it is down, and may not be called for `waitMs` (open)
 */
export type Permit =
  Readonly<{ kind: 'granted' }> | Readonly<{ kind: 'probe' }> | Readonly<{ kind: 'denied'; waitMs: number }>;

/** The state of a provider. `failures`: failed probes in a row since it went down. */
export type BreakerState = Readonly<{ isOpen: boolean; failures: number }>;

/**
 * Asks for a permit to call a provider. Of all callers in all processes one gets the due probe, and the next probe is
 * due `probeIntervalMs` later at the earliest. Claiming an extraction asks for its own permit.
 */
export async function acquirePermit(sql: Sql, provider: string, probeIntervalMs: number): Promise<Permit> {
  const { permit } = await sql.one<{ permit: { probe?: true; wait_ms?: number } | null }>(
    'select enter_provider($1::text, $2::integer, null) as permit',
    [provider, probeIntervalMs],
    { name: 'enter_provider' },
  );
  if (permit === null) return { kind: 'granted' };
  return permit.wait_ms === undefined ? { kind: 'probe' } : { kind: 'denied', waitMs: permit.wait_ms };
}

export async function readBreaker(sql: Sql, provider: string): Promise<BreakerState> {
  const row = await sql.maybeOne<{ failures: number }>(
    'select failures from provider_breakers where provider = $1::text and opened_at is not null',
    [provider],
  );
  return row === undefined ? { isOpen: false, failures: 0 } : { isOpen: true, failures: row.failures };
}

/**
 * Records that a provider is down and must not be called for `waitMs`; never shortens an earlier record. Resolves to
 * the time until the next probe.
 */
export async function openBreaker(
  sql: Sql,
  failure: Readonly<{
    provider: string;
    reason: string;
    waitMs: number;
    /** The failed call was the probe: it counts, and other extractions get the next probe before this one. */
    isProbe: boolean;
    extractionId: string | null;
  }>,
): Promise<number> {
  const { waitMs } = await sql.one<{ waitMs: number }>(
    `insert into provider_breakers as b (provider, opened_at, failures, reason, next_probe_at, probed_by)
     values ($1::text, now(), 1, $2::text, now() + $3::integer * interval '1 millisecond', $5::uuid)
     on conflict (provider) do update set
       opened_at = coalesce(b.opened_at, excluded.opened_at),
       failures = case when b.opened_at is null then 1 else b.failures + $4::boolean::integer end,
       reason = excluded.reason,
       next_probe_at = case when b.opened_at is null then excluded.next_probe_at
                            else greatest(b.next_probe_at, excluded.next_probe_at) end,
       probed_by = case when b.opened_at is null then excluded.probed_by else b.probed_by end
     returning greatest(ceil(extract(epoch from next_probe_at - now()) * 1000), 1)::integer as "waitMs"`,
    [failure.provider, failure.reason, failure.waitMs, failure.isProbe, failure.extractionId],
  );
  return waitMs;
}

/** Records that a provider works again. False when that was known already. */
export async function closeBreaker(sql: Sql, provider: string): Promise<boolean> {
  const { rowCount } = await sql.query(
    `update provider_breakers set opened_at = null, failures = 0, reason = null, probed_by = null
     where provider = $1::text and opened_at is not null`,
    [provider],
  );
  return rowCount > 0;
}

/** The providers that are down. */
export async function listOpenBreakers(sql: Sql): Promise<string[]> {
  const { rows } = await sql.query<{ provider: string }>(
    'select provider from provider_breakers where opened_at is not null',
  );
  return rows.map((row) => row.provider);
}

/** A provider that is down: what it is asked for, why, since when, and when it is asked again. */
export type OpenBreaker = Readonly<{ kind: string; reason: string | null; since: Date; nextProbeAt: Date }>;

/** The providers that are down, without their addresses. Leaves out those that nobody has tried for long. */
export async function describeOpenBreakers(sql: Sql): Promise<OpenBreaker[]> {
  const { rows } = await sql.query<OpenBreaker>(
    `select split_part(provider, ':', 1) as kind, reason, opened_at as since, next_probe_at as "nextProbeAt"
     from provider_breakers where opened_at is not null and next_probe_at > now() - interval '1 minute' order by 1, 3`,
  );
  return rows;
}
