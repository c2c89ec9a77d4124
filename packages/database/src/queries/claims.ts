import { AppError } from '@factmill/errors';
import type { Sql } from '../pool/sql.ts';

/** A row in the hands of one worker. Writes are only accepted with the fence of the latest claim. */
export type HeldClaim = Readonly<{ id: string; fence: number }>;

/** What is to be worked on after an extraction has ended: the id of the next of its conversation, if it can start. */
export type Ended = Readonly<{ next: string | null }>;

/**
 * How a worker's request for a row can end.
 * - `claimed`: the row is this worker's for the length of a lease, with the input of the work
 * - `finished`: the row has ended, or is gone; `next` is what is open after it
 * - `leased`: another worker holds a lease for `retryInMs` more
 * - `blocked`: an earlier extraction of the conversation is open; whoever ends it is told of this one as the next
 * - `breaker_open`: the model provider is down for `retryInMs` more; the row is as it was
 * - `last_probe`: the same, but a probe is due: this row made the last one, and leaves this one to another row
 */
export type ClaimResult<Claim, Input> =
  | Readonly<{ kind: 'claimed'; claim: Claim; input: Input }>
  | (Readonly<{ kind: 'finished'; state: string }> & Ended)
  | Readonly<{ kind: 'leased'; retryInMs: number }>
  | Readonly<{ kind: 'blocked' }>
  | Readonly<{ kind: 'breaker_open'; retryInMs: number }>
  | Readonly<{ kind: 'last_probe'; retryInMs: number }>;

/** Class and sentence of an error, as they are stored. */
export type ErrorRecord = Readonly<{ errorClass: string; errorMessage: string }>;

export type Release = ErrorRecord &
  Readonly<{
    /** The row is not tried again for so long. */
    delayMs: number;
    countsAsAttempt: boolean;
  }>;

/** What the tables of claimed rows have in common. */
export type Claims = Readonly<{
  /**
   * Extends the leases that this worker still holds; resolves to the ids it no longer does. Rows that are locked (by
   * their own apply transaction, as a rule) are passed over, so that one slow apply does not let all others expire.
   */
  renewLeases: (sql: Sql, claims: readonly HeldClaim[], leaseMs: number) => Promise<string[]>;
  /** Locks the row in the running transaction. @throws AppError `fenced` when another worker has it, or it has ended */
  assertFence: (tx: Sql, claim: HeldClaim) => Promise<void>;
  /** Puts the row back, to be tried again later. Does nothing with a fence that is not the latest. */
  release: (sql: Sql, claim: HeldClaim, release: Release) => Promise<void>;
  fencedOff: () => AppError;
}>;

export const extractionClaims = createClaims('extractions', 'extraction');
export const compressionClaims = createClaims('compression_runs', 'compression');

/** The shortest wait for a lease, however little of it is left. */
const MIN_LEASE_RETRY_MS = 50;

/** Of a row that could not be claimed: another worker holds its lease, or it has ended. */
export function leasedOrFinished(
  row: Readonly<{ state: string; leftMs: number | null }> & Ended,
): ClaimResult<never, never> {
  return row.state === 'active' || row.state === 'pending'
    ? { kind: 'leased', retryInMs: Math.max(MIN_LEASE_RETRY_MS, row.leftMs ?? 0) }
    : { kind: 'finished', state: row.state, next: row.next };
}

function createClaims(table: 'extractions' | 'compression_runs', noun: string): Claims {
  const fencedOff = () => new AppError('fenced', `Another worker has taken over this ${noun}.`);
  return {
    fencedOff,
    async renewLeases(sql, claims, leaseMs) {
      const { rows } = await sql.query<{ id: string }>(
        `with held as (select * from unnest($1::uuid[], $2::integer[]) as h (id, fence)), own as (
           select r.id from ${table} r join held on r.id = held.id and r.fence = held.fence
           where r.state = 'active' for update of r skip locked
         ), renewed as (
           update ${table} r set lease_until = now() + $3::integer * interval '1 millisecond'
           from own where r.id = own.id
         )
         select id from held where not exists (
           select from ${table} r where r.id = held.id and r.fence = held.fence and r.state = 'active')`,
        [claims.map((claim) => claim.id), claims.map((claim) => claim.fence), leaseMs],
      );
      return rows.map((row) => row.id);
    },
    async assertFence(tx, claim) {
      const row = await tx.maybeOne(
        `select 1 from ${table} where id = $1::uuid and fence = $2::integer and state = 'active' for update`,
        [claim.id, claim.fence],
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
         where id = $1::uuid and fence = $2::integer and state = 'active'`,
        [claim.id, claim.fence, countsAsAttempt ? 1 : 0, delayMs, errorClass, errorMessage],
      );
    },
  };
}
