import type { ExtractionState, MemoryKind, Role } from '@factmill/contracts';
import { AppError } from '@factmill/errors';
import type { Sql } from '../../pool/sql.ts';
import type { ModelOutput } from './model-output.ts';
import type { AfterApply } from '../summaries/summary-refresh.ts';

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
  /** The model provider is down, and this is the one try of it that is due. */
  isProbe: boolean;
}>;

/** A message of the range that an extraction covers. */
export type CoveredMessage = Readonly<{
  id: string;
  seq: number;
  role: Role;
  content: string;
  name: string | null;
  /** Calls of tools as the client sent them, of assistant messages. */
  toolCalls?: readonly unknown[] | null;
  /** The call that a tool's message answers. */
  toolCallId?: string | null;
  createdAt: Date;
}>;

/** A memory that the model is told of. */
export type StatedMemory = Readonly<{
  id: string;
  kind: MemoryKind;
  category: string;
  key: string | null;
  value: string | null;
  content: string;
  question: string | null;
  statedAt: Date;
}>;

/** What a claimed extraction works on. */
export type Material = Readonly<{
  /** The answer that an earlier run has paid for; null when the model has still to be asked. */
  pinned: ModelOutput | null;
  /** Oldest first, without those that a regenerated reply replaced. */
  messages: readonly CoveredMessage[];
  /**
   * What the user's memories say, last stated first, those kept for other conversations left out; none when there is an
   * answer already.
   */
  known: readonly StatedMemory[];
  /** Whether the user has any document. */
  hasDocuments: boolean;
}>;

/**
 * How a claim ended: got it; over already, with what is open in its conversation; another worker holds a live lease
 * for `retryInMs` more; it waits for another extraction of its conversation, whose end names it as the next; or it rests
 * for `retryInMs`, because the model provider is down. `yields`: it was the last try, and leaves the next to another one.
 */
export type ClaimAnswer =
  | Readonly<{ kind: 'claimed'; claim: Claim; material: Material }>
  | (Readonly<{ kind: 'over'; state: ExtractionState | 'gone' }> & Ended)
  | Readonly<{ kind: 'leased'; retryInMs: number }>
  | Readonly<{ kind: 'waits' }>
  | Readonly<{ kind: 'rests'; retryInMs: number; yields: boolean }>;

/** What is to be worked on after an extraction has ended: the id of the next of its conversation, if it can start. */
export type Ended = Readonly<{ next: string | null }>;

/** JSON has no dates: they come as ISO text. */
type InJson<T> = { [K in keyof T]: T[K] extends Date ? string : T[K] };

/** What claim_extraction answers. */
type ClaimResult = Readonly<
  | {
      claim: Claim;
      pinned: ModelOutput | null;
      messages: readonly InJson<CoveredMessage>[];
      known: readonly InJson<StatedMemory>[];
      hasDocuments: boolean;
    }
  | {
      claim?: never;
      state: ExtractionState;
      waits: boolean;
      left_ms?: number | null;
      next?: string | null;
      rest_ms?: number;
      yields?: boolean;
    }
>;

/**
 * Takes an extraction for a worker: bumps the fence, starts a lease of `leaseMs`, and brings what it works on. A live
 * lease of another worker is respected even when the queue has given up on it (Redis was flushed, a lock renewal got
 * lost), so that the model is not asked twice for one extraction. The worker's own lease is no obstacle: it has lost
 * the run that the lease was for.
 */
export async function claimExtraction(
  sql: Sql,
  request: Readonly<{
    tenantId: string;
    id: string;
    workerId: string;
    leaseMs: number;
    /** How many known memories to bring at most; none by default. */
    knownMemoryLimit?: number;
    /** The provider to ask when there is no answer yet; none by default. */
    provider?: Readonly<{ name: string; probeIntervalMs: number }> | null;
  }>,
): Promise<ClaimAnswer> {
  const { result } = await sql.one<{ result: ClaimResult | null }>(
    `select claim_extraction($1::uuid, $2::uuid, $3::text, $4::integer, $5::integer, $6::text, $7::integer)
       as result`,
    [
      request.tenantId,
      request.id,
      request.workerId,
      request.leaseMs,
      request.knownMemoryLimit ?? 0,
      request.provider?.name ?? null,
      request.provider?.probeIntervalMs ?? 0,
    ],
    { name: 'claim_extraction' },
  );
  if (result === null) return { kind: 'over', state: 'gone', next: null };
  if (result.claim === undefined) {
    if (result.waits) return { kind: 'waits' };
    if (result.rest_ms !== undefined) {
      return { kind: 'rests', retryInMs: result.rest_ms, yields: result.yields === true };
    }
    return result.state === 'active' || result.state === 'pending'
      ? { kind: 'leased', retryInMs: Math.max(50, result.left_ms ?? 50) }
      : { kind: 'over', state: result.state, next: result.next ?? null };
  }
  const { claim, pinned, messages, known, hasDocuments } = result;
  return {
    kind: 'claimed',
    claim,
    material: {
      pinned,
      messages: messages.map((message) => ({ ...message, createdAt: new Date(message.createdAt) })),
      known: known.map((memory) => ({ ...memory, statedAt: new Date(memory.statedAt) })),
      hasDocuments,
    },
  };
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
  if (row === undefined) throw fencedOff();
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

/**
 * Ends an extraction as failed. The messages stay, the reason is kept, and it can be replayed. Nothing is done, and
 * nothing next, with a fence that is not the latest.
 */
export async function failExtraction(
  sql: Sql,
  claim: Pick<Claim, 'id' | 'fence'>,
  error: Readonly<{ errorClass: string; errorMessage: string }>,
): Promise<Ended> {
  const { next } = await sql.one<Ended>(
    'select fail_extraction($1::uuid, $2::integer, $3::text, $4::text) as next',
    [claim.id, claim.fence, error.errorClass, error.errorMessage],
  );
  return { next };
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
  /** Why candidates were not stored: reason → count. */
  rejections?: Readonly<Record<string, number>>;
}>;

/**
 * Ends an extraction as done, moves the conversation's mark, and does what its preset wants to follow, in the
 * transaction that wrote the memories.
 */
export async function finishExtraction(
  tx: Sql,
  claim: Pick<Claim, 'id' | 'fence'>,
  outcome: ExtractionOutcome,
  after: AfterApply | null = null,
): Promise<Ended> {
  if (outcome.rejections !== undefined) {
    await tx.query(
      'select note_rejections($1::uuid, $2::jsonb)',
      [claim.id, JSON.stringify(outcome.rejections)],
      { name: 'note_rejections' },
    );
  }
  const { finished, next } = await tx.one<Ended & { finished: boolean }>(
    `select finished, case when finished then conclude_extraction($1::uuid) end as next,
       case when finished then after_apply($1::uuid, $4::jsonb) end
     from finish_extraction($1::uuid, $2::integer, $3::jsonb) as finished`,
    [claim.id, claim.fence, JSON.stringify(outcome), after === null ? null : JSON.stringify(after)],
    { name: 'finish_extraction' },
  );
  if (!finished) throw fencedOff();
  return { next };
}

export function fencedOff(): AppError {
  return new AppError('fenced', 'Another worker has taken over this extraction.');
}
