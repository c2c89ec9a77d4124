import type { ExtractionState } from '@factmill/contracts';
import { AppError } from '@factmill/errors';
import type { Sql } from '../pool/sql.ts';

/** A ledger row in the hands of one worker. Writes are only accepted with the fence of the latest claim. */
export type Claim = Readonly<{
  id: string;
  tenantId: string;
  userId: string;
  conversationId: string;
  fromSeq: number;
  toSeq: number;
  preset: string;
  attempts: number;
  fence: number;
  /** Claims before this one, in a row, whose worker neither ended nor released the extraction. */
  lostClaims: number;
  traceparent: string | null;
  acceptedAt: Date;
}>;

/** How a claim ended: got it; over already; or another worker holds a live lease for `retryInMs` more. */
export type ClaimAnswer =
  | Readonly<{ kind: 'claimed'; claim: Claim }>
  | Readonly<{ kind: 'over'; state: ExtractionState | 'gone' }>
  | Readonly<{ kind: 'leased'; retryInMs: number }>;

/**
 * Takes an extraction for a worker: bumps the fence and starts a lease of `leaseMs`. A live lease of another
 * worker is respected even when the queue has given up on it (Redis was flushed, a lock renewal got lost), so
 * that the model is not asked twice for one extraction. The worker's own lease is no obstacle: it has lost the
 * run that the lease was for.
 */
export async function claimExtraction(
  sql: Sql,
  request: Readonly<{ tenantId: string; id: string; workerId: string; leaseMs: number }>,
): Promise<ClaimAnswer> {
  const claim = await sql.maybeOne<Claim>(
    `update extractions
     set state = 'active', fence = fence + 1, lost_claims = lost_claims + (state = 'active')::integer,
         started_at = coalesce(started_at, now()), claimed_at = now(),
         claimed_by = $3::text, lease_until = now() + $4::integer * interval '1 millisecond'
     where tenant_id = $1::uuid and id = $2::uuid
       and (state = 'pending' or (state = 'active' and (lease_until <= now() or claimed_by = $3::text)))
     returning id, tenant_id as "tenantId", user_id as "userId", conversation_id as "conversationId",
       from_seq as "fromSeq", to_seq as "toSeq", preset, attempts, fence, lost_claims as "lostClaims", traceparent,
       accepted_at as "acceptedAt"`,
    [request.tenantId, request.id, request.workerId, request.leaseMs],
    { name: 'claim_extraction' },
  );
  if (claim !== undefined) return { kind: 'claimed', claim };
  const row = await sql.maybeOne<{ state: ExtractionState; leftMs: number | null }>(
    `select state, (extract(epoch from lease_until - now()) * 1000)::integer as "leftMs"
     from extractions where tenant_id = $1::uuid and id = $2::uuid`,
    [request.tenantId, request.id],
  );
  if (row === undefined) return { kind: 'over', state: 'gone' };
  if (row.state === 'active' || row.state === 'pending') {
    return { kind: 'leased', retryInMs: Math.max(50, row.leftMs ?? 50) };
  }
  return { kind: 'over', state: row.state };
}

/**
 * Extends the leases that this worker still holds; resolves to the ids it no longer does. Rows that are locked (by
 * their own apply transaction, as a rule) are passed over, so that one slow apply does not let all others expire.
 */
export async function renewLeases(
  sql: Sql,
  claims: readonly Pick<Claim, 'id' | 'fence'>[],
  leaseMs: number,
): Promise<string[]> {
  const { rows } = await sql.query<{ id: string }>(
    `with held as (select * from unnest($1::uuid[], $2::integer[]) as h (id, fence)), own as (
       select e.id from extractions e join held on e.id = held.id and e.fence = held.fence
       where e.state = 'active' for update of e skip locked
     ), kept as (
       update extractions e set lease_until = now() + $3::integer * interval '1 millisecond'
       from own where e.id = own.id
     )
     select id from held where not exists (
       select from extractions e where e.id = held.id and e.fence = held.fence and e.state = 'active')`,
    [claims.map((claim) => claim.id), claims.map((claim) => claim.fence), leaseMs],
  );
  return rows.map((row) => row.id);
}

/**
 * Locks the ledger row in the running transaction.
 *
 * @throws AppError `fenced` when another worker has claimed the extraction since, or it has ended
 */
export async function assertFence(tx: Sql, claim: Pick<Claim, 'id' | 'fence'>): Promise<void> {
  const row = await tx.maybeOne(
    `select 1 from extractions where id = $1::uuid and fence = $2::integer and state = 'active' for update`,
    [claim.id, claim.fence],
    { name: 'assert_fence' },
  );
  if (row === undefined) throw new AppError('fenced', 'Another worker has taken over this extraction.');
}

/** Puts an extraction back, to be tried again after `delayMs`. `burns`: the try counts as an attempt. */
export async function releaseExtraction(
  sql: Sql,
  claim: Pick<Claim, 'id' | 'fence'>,
  release: Readonly<{ delayMs: number; burns: boolean; errorClass: string; errorMessage: string }>,
): Promise<void> {
  await sql.query(
    `update extractions
     set state = 'pending', attempts = attempts + $3::integer, lost_claims = 0, lease_until = null, claimed_by = null,
         next_attempt_at = now() + $4::integer * interval '1 millisecond', queue_checked_at = null,
         error_class = $5::text, error_message = $6::text
     where id = $1::uuid and fence = $2::integer and state = 'active'`,
    [claim.id, claim.fence, release.burns ? 1 : 0, release.delayMs, release.errorClass, release.errorMessage],
  );
}

/** Ends an extraction as failed. The messages stay, the reason is kept, and it can be replayed. */
export async function failExtraction(
  sql: Sql,
  claim: Pick<Claim, 'id' | 'fence'>,
  error: Readonly<{ errorClass: string; errorMessage: string }>,
): Promise<void> {
  await sql.query(
    `update extractions
     set state = 'failed', attempts = attempts + 1, lease_until = null, next_attempt_at = null,
         finished_at = now(), error_class = $3::text, error_message = $4::text
     where id = $1::uuid and fence = $2::integer and state = 'active'`,
    [claim.id, claim.fence, error.errorClass, error.errorMessage],
  );
}

export type ExtractionOutcome = Readonly<{
  added: number;
  updated: number;
  deleted: number;
  unchanged: number;
  rejected: number;
  memoryIds: readonly string[];
  degraded: string | null;
  embedMs: number | null;
  applyMs: number | null;
}>;

/** Ends an extraction as done and moves the conversation's mark, in the transaction that wrote the memories. */
export async function finishExtraction(tx: Sql, claim: Claim, outcome: ExtractionOutcome): Promise<void> {
  const { rowCount } = await tx.query(
    `update extractions
     set state = 'done', attempts = attempts + 1, lease_until = null, next_attempt_at = null,
         finished_at = clock_timestamp(), error_class = null, error_message = null, added = $3::integer,
         updated = $4::integer, deleted = $5::integer, unchanged = $6::integer, rejected = $7::integer,
         memory_ids = $8::uuid[], degraded = $9::text, embed_ms = $10::integer, apply_ms = $11::integer
     where id = $1::uuid and fence = $2::integer and state = 'active'`,
    [
      claim.id,
      claim.fence,
      outcome.added,
      outcome.updated,
      outcome.deleted,
      outcome.unchanged,
      outcome.rejected,
      outcome.memoryIds,
      outcome.degraded,
      outcome.embedMs,
      outcome.applyMs,
    ],
    { name: 'finish_extraction' },
  );
  if (rowCount === 0) throw new AppError('fenced', 'Another worker has taken over this extraction.');
  await tx.query(
    `update conversations set extracted_at = now(), extracted_seq = greatest(extracted_seq, $3::integer)
     where tenant_id = $1::uuid and id = $2::text`,
    [claim.tenantId, claim.conversationId, claim.toSeq],
    { name: 'mark_conversation' },
  );
}
