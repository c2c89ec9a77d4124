import { AppError } from '@factmill/errors';
import type { Sql } from '../pool/sql.ts';

/** A row that one worker has claimed. Writes are accepted only with the fence of the latest claim. */
export type HeldClaim = Readonly<{ id: string; tenantId: string; fence: number }>;

/** The next step after an extraction: the id of the conversation's next one, if it can start. */
export type Ended = Readonly<{ next: string | null }>;

/**
 * The result of a claim.
 * - `claimed`: the row is this worker's for the length of a lease, with the input of the work
 * - `finished`: the row has ended, or is gone; `next` is the open row after it
 * - `leased`: another worker holds a lease for `retryInMs` more
 * - `blocked`: an earlier row of the conversation, or of the replay, is open; its end names this one as the next
 * - `breaker_open`: the model provider is down for `retryInMs` more; the row is unchanged
 * - `deferred`: a budget of the tenant is used up; the row waits for the next period, or until the budget is raised
 * - `last_probe`: the same as `breaker_open`, but a probe is due: this row made the last one, so another row must make this one
 */
export type ClaimResult<Claim, Input> =
  | Readonly<{ kind: 'claimed'; claim: Claim; input: Input }>
  | (Readonly<{ kind: 'finished'; state: string }> & Ended)
  | Readonly<{ kind: 'leased'; retryInMs: number }>
  | Readonly<{ kind: 'blocked' }>
  | Readonly<{ kind: 'deferred' }>
  | Readonly<{ kind: 'breaker_open'; retryInMs: number }>
  | Readonly<{ kind: 'last_probe'; retryInMs: number }>;

/** Class and message of an error, as stored. */
export type ErrorRecord = Readonly<{ errorClass: string; errorMessage: string }>;

export type Release = ErrorRecord &
  Readonly<{
    /** Delay before the row is tried again. */
    delayMs: number;
    countsAsAttempt: boolean;
  }>;

/** Operations that all tables of claimed rows share. */
export type Claims = Readonly<{
  /**
   * Extends the leases that this worker still holds; resolves to the ids that it lost. Locked rows (usually by their
   * own apply transaction) are skipped, so that one slow apply does not let all other leases expire.
   */
  renewLeases: (sql: Sql, claims: readonly HeldClaim[], leaseMs: number) => Promise<string[]>;
  /**
   * Locks the row in the running transaction. @throws AppError `fenced` when another worker has it, or it has ended
   */
  assertFence: (tx: Sql, claim: HeldClaim) => Promise<void>;
  /** Puts the row back for a later attempt. Does nothing when the fence is outdated. */
  release: (sql: Sql, claim: HeldClaim, release: Release) => Promise<void>;
  fencedOff: () => AppError;
}>;

export const extractionClaims = createClaims('extractions', 'extraction');
export const compressionClaims = createClaims('compression_runs', 'compression');
export const replayClaims = createClaims('replay_runs', 'replay');

/** The shortest wait for a lease, even when less of it is left. */
const MIN_LEASE_RETRY_MS = 50;

/** For a row whose lease another worker holds for `leftMs` more. */
export function leased(leftMs: number): ClaimResult<never, never> {
  return { kind: 'leased', retryInMs: Math.max(MIN_LEASE_RETRY_MS, leftMs) };
}

function createClaims(table: 'extractions' | 'compression_runs' | 'replay_runs', noun: string): Claims {
  const fencedOff = () => new AppError('fenced', `Another worker has taken over this ${noun}.`);
  return {
    fencedOff,
    async renewLeases(sql, claims, leaseMs) {
      const lost: string[] = [];
      for (const [tenantId, held] of Map.groupBy(claims, (claim) => claim.tenantId)) {
        const { rows } = await sql.query<{ id: string }>(
          `with held as (select * from unnest($1::uuid[], $2::integer[]) as h (id, fence)), own as (
             select r.id from ${table} r join held on r.id = held.id and r.fence = held.fence
             where r.tenant_id = $4::uuid and r.state = 'active' for update of r skip locked
           ), renewed as (
             update ${table} r set lease_until = now() + $3::integer * interval '1 millisecond'
             from own where r.tenant_id = $4::uuid and r.id = own.id
           )
           select id from held where not exists (
             select from ${table} r where r.tenant_id = $4::uuid and r.id = held.id and r.fence = held.fence
               and r.state = 'active')`,
          [held.map((claim) => claim.id), held.map((claim) => claim.fence), leaseMs, tenantId],
        );
        lost.push(...rows.map((row) => row.id));
      }
      return lost;
    },
    async assertFence(tx, claim) {
      const row = await tx.maybeOne(
        `select 1 from ${table}
         where id = $1::uuid and tenant_id = $3::uuid and fence = $2::integer and state = 'active' for update`,
        [claim.id, claim.fence, claim.tenantId],
        { name: `assert_fence_${noun}` },
      );
      if (row === undefined) throw fencedOff();
    },
    async release(sql, claim, { countsAsAttempt, delayMs, errorClass, errorMessage }) {
      await sql.query(
        `update ${table}
         set state = 'pending', attempts = attempts + $3::integer, lost_claims = 0, lease_until = null,
             claimed_by = null, next_attempt_at = now() + $4::integer * interval '1 millisecond',
             queue_checked_at = null, error_class = $5::text, error_message = $6::text
         where id = $1::uuid and tenant_id = $7::uuid and fence = $2::integer and state = 'active'`,
        [claim.id, claim.fence, countsAsAttempt ? 1 : 0, delayMs, errorClass, errorMessage, claim.tenantId],
      );
    },
  };
}
