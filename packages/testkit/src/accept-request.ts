import { randomUUID } from 'node:crypto';

/**
 * A request to accept, for `acceptConversations` of `@factmill/database`: one message of `maya` in a conversation of its
 * own, to be extracted at once. A test spreads it and writes what is different after it.
 */
export function acceptRequest(tenantId: string) {
  return {
    tenantId,
    userId: 'maya',
    fallbackUserId: 'unknown',
    conversationId: randomUUID(),
    messages: [{ id: randomUUID(), role: 'user' as const, content: 'I live in Lisbon.', tokenEstimate: 4 }],
    extract: 'now' as const,
    regenerated: false,
    extractionId: randomUUID(),
    trigger: 'request',
    preset: 'standard',
    extractionMetadata: {},
    traceparent: null,
    idempotencyKey: null,
    requestSha256: '',
  };
}

/** Limits of the queue that drop nothing. */
export const NO_QUEUE_LIMITS = { queueLimit: 0, tenantQueueLimit: 0 };
