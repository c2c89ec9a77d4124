import type { ExtractionState, MemoryKind, Role } from '@factmill/contracts';
import type { Sql } from '../../pool/sql.ts';
import {
  type ClaimResult,
  type Ended,
  type ErrorRecord,
  extractionClaims,
  type HeldClaim,
  leased,
} from '../claims.ts';
import type { ModelOutput } from './model-output.ts';
import type { StoredAnswer } from './outputs.ts';
import type { PostApply } from '../summaries/summary-refresh.ts';

/** An extraction that one worker has claimed. */
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
  /** Claims in a row before this one whose worker neither ended nor released the extraction. */
  lostClaims: number;
  traceparent: string | null;
  /** The model provider is down, and this call is the probe that is due. */
  isProbe: boolean;
}>;

/** A message in the range of an extraction. */
export type CoveredMessage = Readonly<{
  id: string;
  seq: number;
  role: Role;
  content: string;
  name: string | null;
  /** Tool calls of assistant messages, in the client's form. */
  toolCalls?: readonly unknown[] | null;
  /** The call that a tool message answers. */
  toolCallId?: string | null;
  channel?: string | null;
  sender?: string | null;
  createdAt: Date;
}>;

/** A known memory for the prompt. */
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

/** The input of a claimed extraction. */
export type ExtractionInput = Readonly<{
  /** The pinned answer of an earlier run; null when the model must still be asked. */
  pinned: ModelOutput | null;
  /** Oldest first, without replies that a regenerated one replaced. */
  messages: readonly CoveredMessage[];
  /**
   * The user's memories, last stated first, without those of other conversations; none when there is a pinned answer.
   */
  known: readonly StatedMemory[];
  /** Whether the user has any document. */
  hasDocuments: boolean;
}>;

/** JSON has no dates: they arrive as ISO text. */
type InJson<T> = { [K in keyof T]: T[K] extends Date ? string : T[K] };

/** The result of claim_extraction; without `claim` it was refused. */
type ClaimJson = Readonly<{
  claim: Claim;
  pinned: ModelOutput | null;
  messages: readonly InJson<CoveredMessage>[];
  known: readonly InJson<StatedMemory>[];
  hasDocuments: boolean;
}>;
type RefusalJson = Readonly<{ claim?: never }> &
  (
    | Readonly<{ kind: 'finished'; state: ExtractionState; next: string | null }>
    | Readonly<{ kind: 'leased' | 'breaker_open' | 'last_probe'; retry_in_ms: number }>
    | Readonly<{ kind: 'blocked' | 'deferred' }>
  );

/**
 * Claims an extraction for a worker: raises the fence, starts a lease of `leaseMs`, and returns the input. Another
 * worker's live lease is respected even when the queue has given up on it (Redis was flushed, a lock renewal got
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
    /** Maximum of known memories; default none. */
    knownMemoryLimit?: number;
    /** The provider to ask when there is no pinned answer; default none. */
    provider?: Readonly<{ name: string; probeIntervalMs: number }> | null;
  }>,
): Promise<ClaimResult<Claim, ExtractionInput>> {
  const { result } = await sql.one<{ result: ClaimJson | RefusalJson | null }>(
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
  if (result === null) return { kind: 'finished', state: 'gone', next: null };
  if (result.claim === undefined) return toRefusal(result);
  const { claim, pinned, messages, known, hasDocuments } = result;
  return {
    kind: 'claimed',
    claim,
    input: {
      pinned,
      messages: messages.map((message) => ({ ...message, createdAt: new Date(message.createdAt) })),
      known: known.map((memory) => ({ ...memory, statedAt: new Date(memory.statedAt) })),
      hasDocuments,
    },
  };
}

function toRefusal(json: RefusalJson): ClaimResult<never, never> {
  switch (json.kind) {
    case 'leased':
      return leased(json.retry_in_ms);
    case 'breaker_open':
    case 'last_probe':
      return { kind: json.kind, retryInMs: json.retry_in_ms };
    case 'finished':
      return { kind: 'finished', state: json.state, next: json.next };
    default:
      return { kind: json.kind };
  }
}

/**
 * Ends an extraction as failed. The messages and the reason stay, and it can be replayed. With an outdated fence it
 * does nothing and returns no next one.
 */
export async function failExtraction(sql: Sql, claim: HeldClaim, error: ErrorRecord): Promise<Ended> {
  const { next } = await sql.one<Ended>(
    'select fail_extraction($1::uuid, $2::integer, $3::text, $4::text, $5::uuid) as next',
    [claim.id, claim.fence, error.errorClass, error.errorMessage, claim.tenantId],
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
  /** An answer that is pinned only now. */
  answer?: StoredAnswer;
}>;

/**
 * Ends an extraction as done, moves the conversation's mark, and marks the follow-up work of its preset, in the
 * transaction that wrote the memories.
 */
export async function finishExtraction(
  tx: Sql,
  claim: HeldClaim,
  outcome: ExtractionOutcome,
  postApply: PostApply | null = null,
): Promise<Ended> {
  const { finished, next } = await tx.one<Ended & { finished: boolean }>(
    `select finished, case when finished then conclude_extraction($1::uuid, $5::uuid) end as next,
       case when finished then after_apply($1::uuid, $4::jsonb, $5::uuid) end
     from finish_extraction($1::uuid, $2::integer, $3::jsonb, $5::uuid) as finished`,
    [
      claim.id,
      claim.fence,
      JSON.stringify(outcome),
      postApply === null ? null : JSON.stringify(postApply),
      claim.tenantId,
    ],
    { name: 'finish_extraction' },
  );
  if (!finished) throw extractionClaims.fencedOff();
  return { next };
}
