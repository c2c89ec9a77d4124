import { untilAborted } from '@factmill/async';
import type { ChatMemoryFields, MemoryHit } from '@factmill/contracts';
import type { Logger } from '@factmill/telemetry';
import { createDuration } from '@factmill/telemetry';
import { z } from 'zod';

/** What of the answer of `POST /v1/context` is used. */
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

export type Recalled = Readonly<{ text: string; hits: readonly MemoryHit[] }>;

export type RecallRequest = Readonly<{
  userId: string;
  /** Where the user's turns are stored. */
  conversationId: () => Promise<string>;
  query: string;
  memory: ChatMemoryFields;
  /** The texts of the request, each as a message. */
  spoken: readonly Readonly<{ role: string; content: string }>[];
  /** Our own credentials of the caller, for the retrieval service. */
  credentials: Readonly<Record<string, string>>;
  signal: AbortSignal;
}>;

export type RecallDeps = Readonly<{
  retrievalUrl: string;
  format: 'facts' | 'section' | 'summary' | 'augmented';
  /** What the chat waits for memory at most. */
  timeoutMs: number;
  logger: Logger;
}>;

/**
 * What is remembered about what the user says, ready to go into the request. Resolves to null when retrieval does not
 * answer in time or at all: a chat goes on without memory.
 */
export function createRecall(deps: RecallDeps): (request: RecallRequest) => Promise<Recalled | null> {
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

function toBody(request: RecallRequest, conversationId: string, format: string): object {
  const { userId, query, memory } = request;
  return {
    user_id: userId,
    conversation_id: conversationId,
    query: toReadable(query),
    format,
    // Whoever names a conversation has its earlier turns compete with memories (E4), less those sent anyway.
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

/** What the context call would refuse is taken out, as it is of stored turns. */
function toReadable(text: string): string {
  return text.replaceAll('\u0000', '').toWellFormed();
}

function toHit({ memory, score, role }: z.infer<typeof contextSchema>['memories'][number]): MemoryHit {
  return { role, content: memory.content, created_at: memory.created_at, score };
}
