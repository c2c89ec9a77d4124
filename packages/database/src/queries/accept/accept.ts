import type { ExtractionState, MessageInput, Policy, Schedule } from '@factmill/contracts';
import type { Sql } from '../../pool/sql.ts';

/** One request with messages or for an extraction. The caller of this function chooses the ids. */
export type AcceptRequest = Readonly<{
  tenantId: string;
  /** The user in the request; null leaves it to the conversation, then to `fallbackUserId`. */
  userId: string | null;
  fallbackUserId: string;
  conversationId: string;
  messages: readonly (MessageInput & { id: string; tokenEstimate: number })[];
  /** The client chose the message ids: a known id with another message is a conflict. */
  hasCallerIds?: boolean;
  extract: 'auto' | 'now' | 'never';
  regenerated: boolean;
  /** The user turn that a regenerated chat reply answers; absent: the last one of the conversation. */
  replyTo?: string | null;
  /** When that turn was accepted: the reply is not stored if the turn has been deleted since. Absent: it is. */
  turnAcceptedAt?: string | null;
  extractionId: string;
  trigger: string;
  /** Null leaves it to the conversation, then to the deployment. */
  preset: string | null;
  /** Of the conversation, if this request begins it. */
  policy?: Policy | undefined;
  extractionMetadata: Record<string, unknown>;
  traceparent: string | null;
  idempotencyKey: string | null;
  requestSha256: string;
}>;

export type AcceptResult =
  | Readonly<{ status: 'unknown_user' | 'idempotency_conflict' | 'user_mismatch' | 'turn_deleted' }>
  /** Nothing is stored of this user. */
  | Readonly<{ status: 'memory_off'; user_id: string }>
  /** Ids that belong to other messages of the conversation. */
  | Readonly<{ status: 'message_conflict'; conflicts: string[] }>
  | Readonly<{
      status: 'accepted' | 'replayed';
      user_id: string;
      conversation_id: string;
      message_ids: string[];
      extraction: {
        /** The last extraction; when there are several, `part_ids` has all in order. */
        id: string;
        state: ExtractionState;
        enqueue: boolean;
        part_ids?: string[];
      } | null;
    }>;

/** A ledger row that the queue limit has dropped. */
export type DroppedExtraction = Readonly<{ id: string; tenant_id: string; generation: number }>;

export type Accepted = Readonly<{
  results: AcceptResult[];
  dropped: DroppedExtraction[];
  /** By the clock of the database. */
  acceptedAt: string;
  /** Whether a limit was in force. */
  isLimited: boolean;
}>;

/**
 * Both by the request's number from 1. `begun`: whether the request of a new conversation scheduled an extraction.
 */
type Answer = Readonly<{
  begun: Record<string, boolean>;
  others: Record<string, AcceptResult>;
  dropped: DroppedExtraction[];
  accepted_at: string;
}>;

/**
 * Accepts a batch of requests in one statement and one commit; functions/accept_conversations.sql says what it
 * guarantees. When the promise resolves, everything in it is durable. Without a schedule everything is due at once.
 *
 * @param limits of waiting extractions that have never started (`queue.limit`, `queue.tenant_limit`) where no setting
 *   overrides them; 0 is unlimited. The same statement reads the settings: on embedded storage a second one would
 *   wait in the queue again.
 */
export async function acceptConversations(
  sql: Sql,
  requests: readonly AcceptRequest[],
  limits: Readonly<{ queueLimit: number; tenantQueueLimit: number }>,
  schedule?: Schedule,
): Promise<Accepted> {
  const { answer, isLimited } = await sql.one<{ answer: Answer; isLimited: boolean }>(
    `select accept_conversations($1::jsonb, l.of_all, l.of_tenant, $4::jsonb) as answer,
       l.of_all > 0 or l.of_tenant > 0 as "isLimited"
     from (select coalesce(${setting('queue.limit')}, $2::integer) as of_all,
       coalesce(${setting('queue.tenant_limit')}, $3::integer) as of_tenant offset 0) as l`,
    [
      JSON.stringify(requests.map(toJson)),
      limits.queueLimit,
      limits.tenantQueueLimit,
      JSON.stringify(schedule ?? {}),
    ],
    { name: 'accept_conversations' },
  );
  const results = requests.map((request, index): AcceptResult => {
    const place = index + 1;
    const other = answer.others[place];
    return other ?? begunAs(request, answer.begun[place] === true);
  });
  return { results, dropped: answer.dropped, acceptedAt: answer.accepted_at, isLimited };
}

/** A setting that is a whole number (settings_pkey); null when it is missing or something else. */
function setting(key: string): string {
  return `(select case when value::text ~ '^[0-9]{1,9}$' then value::text::integer end from settings where key = '${key}')`;
}

function begunAs(request: AcceptRequest, isScheduled: boolean): AcceptResult {
  return {
    status: 'accepted',
    user_id: request.userId ?? request.fallbackUserId,
    conversation_id: request.conversationId,
    message_ids: request.messages.map(({ id }) => id),
    extraction: isScheduled ? { id: request.extractionId, state: 'pending', enqueue: true } : null,
  };
}

/** Omits null and empty fields: every request pays for parsing the batch. */
function toJson(request: AcceptRequest): Record<string, unknown> {
  return {
    tenant_id: request.tenantId,
    user_id: request.userId ?? undefined,
    fallback_user_id: request.userId === null ? request.fallbackUserId : undefined,
    conversation_id: request.conversationId,
    messages: request.messages.map(({ tokenEstimate, ...message }) => ({
      ...message,
      token_estimate: tokenEstimate,
    })),
    ...sumUp(request.messages),
    has_caller_ids: request.hasCallerIds || undefined,
    extract: request.extract,
    regenerated: request.regenerated || undefined,
    reply_to: request.replyTo ?? undefined,
    turn_accepted_at: request.turnAcceptedAt ?? undefined,
    extraction_id: request.extractionId,
    trigger: request.trigger,
    preset: request.preset ?? undefined,
    policy: request.policy,
    extraction_metadata: request.extractionMetadata,
    traceparent: request.traceparent ?? undefined,
    idempotency_key: request.idempotencyKey ?? undefined,
    request_sha256: request.idempotencyKey === null ? undefined : request.requestSha256,
  };
}

/**
 * The figures that decide when messages are due: user messages, tokens, and whether the last user message has its
 * reply.
 */
function sumUp(messages: AcceptRequest['messages']): Record<string, unknown> {
  let userTurns = 0;
  let tokens = 0;
  let hasReply = false;
  for (const { role, content, tokenEstimate } of messages) {
    tokens += tokenEstimate;
    if (role === 'user') userTurns += 1;
    hasReply = role === 'user' ? false : hasReply || (role === 'assistant' && (content ?? '') !== '');
  }
  return { user_turns: userTurns, tokens, has_reply: hasReply };
}
