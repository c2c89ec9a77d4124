import { untilAborted } from '@factmill/async';
import type { ChatMemoryFields, MemoryHit } from '@factmill/contracts';
import type { Logger } from '@factmill/telemetry';
import { createDuration } from '@factmill/telemetry';
import { z } from 'zod';

/** The fields used of `POST /v1/context`'s answer. */
const contextSchema = z.object({
  text: z.string().default(''),
  memories: z
    .array(
      z.object({
        memory: z.object({ content: z.string(), created_at: z.string() }),
        score: z.number(),
        role: z.string(),
      }),
    )
    .default([]),
});

export type FetchedContext = Readonly<{ text: string; hits: readonly MemoryHit[] }>;

export type ContextQuery = Readonly<{
  userId: string;
  /** The conversation that stores the user's turns. */
  conversationId: () => Promise<string>;
  query: string;
  memory: ChatMemoryFields;
  /** The texts of the request, each as a message. */
  spoken: readonly Readonly<{ role: string; content: string }>[];
  /** The caller's credentials with us, for the retrieval service. */
  credentials: Readonly<Record<string, string>>;
  signal: AbortSignal;
}>;

export type FetchContextDeps = Readonly<{
  retrievalUrl: string;
  format: 'facts' | 'section' | 'summary' | 'augmented';
  /** How long the chat waits for context at most. */
  timeoutMs: number;
  logger: Logger;
}>;

/**
 * Fetches the context for a user's message, ready for the request. Resolves to null when retrieval fails or is too
 * slow: the chat continues without memory.
 */
export function createFetchContext(
  deps: FetchContextDeps,
): (request: ContextQuery) => Promise<FetchedContext | null> {
  const recordDuration = createDuration(
    'factmill_chat_recall_duration_seconds',
    'Time a chat waited for memory',
  );
  return async (request) => {
    const startedAt = performance.now();
    let result = 'ok';
    try {
      const signal = AbortSignal.any([request.signal, AbortSignal.timeout(deps.timeoutMs)]);
      const conversationId = await untilAborted(request.conversationId(), signal);
      const response = await fetch(`${deps.retrievalUrl}/v1/context`, {
        method: 'POST',
        headers: { 'content-type': 'application/json', ...request.credentials },
        body: JSON.stringify(toBody(request, conversationId, deps.format)),
        signal,
      });
      if (!response.ok) throw new Error(`retrieval answered ${response.status}`);
      const { text, memories } = contextSchema.parse(await response.json());
      return { text, hits: memories.map(toHit) };
    } catch (error) {
      request.signal.throwIfAborted();
      const timedOut = error instanceof DOMException && error.name === 'TimeoutError';
      result = timedOut ? 'timeout' : 'failed';
      deps.logger.warn({ result }, 'a chat went on without memory');
      return null;
    } finally {
      recordDuration(performance.now() - startedAt, { result });
    }
  };
}

function toBody(request: ContextQuery, conversationId: string, format: string): object {
  const { userId, query, memory } = request;
  return {
    user_id: userId,
    conversation_id: conversationId,
    query: toReadable(query),
    format,
    // With a named conversation its earlier turns compete with memories (E4), except those in the request itself.
    ...(memory.memory_id === undefined
      ? {}
      : {
          include_turns: true,
          messages: request.spoken.map((one) => ({ ...one, content: toReadable(one.content) })),
        }),
    ...(memory.memory_top_k === undefined ? {} : { limit: memory.memory_top_k }),
    ...(memory.memory_recency_weight === undefined ? {} : { recency_weight: memory.memory_recency_weight }),
    ...(memory.memory_score_threshold === undefined ? {} : { min_relevance: memory.memory_score_threshold }),
  };
}

/** Removes characters that the context call would refuse; stored turns lose them too. */
function toReadable(text: string): string {
  return text.replaceAll('\u0000', '').toWellFormed();
}

function toHit({ memory, score, role }: z.infer<typeof contextSchema>['memories'][number]): MemoryHit {
  return { role, content: memory.content, created_at: memory.created_at, score };
}
