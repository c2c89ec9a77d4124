import { principalOf, resolveUser } from '@factmill/auth';
import type { Config } from '@factmill/config';
import type { MessageInput } from '@factmill/contracts';
import type { AcceptRequest } from '@factmill/database';
import { estimateTokens } from '@factmill/extraction';
import { localsOf } from '@factmill/http';
import { currentTraceparent } from '@factmill/telemetry';
import type { Request, Response } from 'express';
import type { AcceptedRequest, AcceptOutcome } from './accept.ts';
import { idempotencyOf } from './idempotency.ts';

export type AcceptFromRequestDeps = Readonly<{
  config: Pick<Config, 'auth'>;
  accept: (request: AcceptRequest) => Promise<AcceptOutcome>;
  /** UUIDv7. */
  newId: () => string;
}>;

/** The fields that a route reads from its request. */
export type Incoming = Readonly<{
  conversationId: string;
  userId: string | undefined;
  messages: readonly MessageInput[];
  extract: 'auto' | 'now' | 'never';
  regenerated: boolean;
  trigger: string;
  /** Overrides the conversation's and the deployment's preset. */
  preset?: string | undefined;
  metadata?: Record<string, unknown> | undefined;
}>;

/**
 * Accepts the messages of a request for its caller; creates the ids that it lacks. Rejects as `accept` does.
 */
export async function acceptFromRequest(
  deps: AcceptFromRequestDeps,
  request: Request,
  response: Response,
  incoming: Incoming,
): Promise<AcceptOutcome> {
  const principal = principalOf(response);
  const user = resolveUser(incoming.userId, principal, deps.config.auth.defaultUserId);
  const { key, requestSha256 } = idempotencyOf(request, user);
  const accepted = await deps.accept({
    tenantId: principal.tenantId,
    userId: user.requested,
    fallbackUserId: user.fallback,
    conversationId: incoming.conversationId,
    messages: incoming.messages.map((message) => ({
      ...message,
      id: message.id ?? deps.newId(),
      tokenEstimate: estimateTokens(message.content ?? ''),
    })),
    hasCallerIds: incoming.messages.some(({ id }) => id !== undefined),
    extract: incoming.extract,
    regenerated: incoming.regenerated,
    extractionId: deps.newId(),
    trigger: incoming.trigger,
    preset: incoming.preset ?? null,
    extractionMetadata: incoming.metadata ?? {},
    traceparent: currentTraceparent(),
    idempotencyKey: key,
    requestSha256,
  });
  const { eventFields } = localsOf(response);
  eventFields['messages'] = incoming.messages.length;
  eventFields['extraction_id'] = 'extraction' in accepted ? (accepted.extraction?.id ?? null) : null;
  return accepted;
}

/** The field of an answer that lists the ids of all extractions when there are several. */
export function partIdsOf(extraction: AcceptedRequest['extraction']): { part_ids?: string[] } {
  return extraction?.part_ids === undefined ? {} : { part_ids: extraction.part_ids };
}
