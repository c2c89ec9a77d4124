import { untilAborted } from '@factmill/async';
import {
  type ChatMemoryFields,
  type ContextPlace,
  contextPlaceSchema,
  type MemoryHit,
} from '@factmill/contracts';
import { presetNamed } from '@factmill/extraction';
import type { Logger } from '@factmill/telemetry';
import { createDuration } from '@factmill/telemetry';
import { z } from 'zod';
import type { RetrievalClient } from '../retrieval/retrieval-client.ts';
import type { Place } from './place-chat.ts';

/** The fields used of `POST /v1/context`'s answer. */
const contextSchema = z.object({
  text: z.string().default(''),
  blocks: z.array(z.object({ place: contextPlaceSchema, text: z.string() })).optional(),
  degraded: z.string().optional(),
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

export type FetchedContext = Readonly<{
  /** What goes into the request, each text with its place. */
  blocks: readonly Readonly<{ place: ContextPlace; text: string }>[];
  hits: readonly MemoryHit[];
  /** What was left out or not applied, in words of the contract; null: nothing. */
  degraded: string | null;
}>;

export type ContextQuery = Readonly<{
  tenantId: string;
  userId: string;
  /** Finds the conversation that stores the user's turns. */
  place: () => Promise<Place>;
  /** Whether the chat names that conversation, or its preset does. */
  isNamed: boolean;
  /** The preset, unless the conversation has one. */
  preset: string;
  query: string;
  memory: ChatMemoryFields;
  /** The texts of the request, each as a message. */
  spoken: readonly Readonly<{ role: string; content: string }>[];
  /** The caller's credentials with us, for the retrieval service. */
  credentials: Readonly<Record<string, string>>;
  signal: AbortSignal;
}>;

export type FetchContextDeps = Readonly<{
  retrieval: RetrievalClient;
  /** Null: as the preset has it. */
  format: 'facts' | 'section' | 'summary' | 'augmented' | null;
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
      const place = await untilAborted(request.place(), signal);
      const answer = await deps.retrieval.post({
        path: '/v1/context',
        owner: request,
        headers: request.credentials,
        body: toBody(request, place, deps.format ?? 'preset'),
        signal,
      });
      if (!answer.ok) throw new Error(`retrieval answered ${answer.status}`);
      const {
        memories,
        degraded = null,
        ...said
      } = contextSchema.parse(JSON.parse(answer.body.toString('utf8')));
      const blocks = said.blocks ?? placed(said.text, deps.format, request.query);
      return { blocks, hits: memories.map(toHit), degraded };
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

/** The place of a text whose format was configured. Without anything to say, `augmented` is the message alone. */
function placed(text: string, format: FetchContextDeps['format'], query: string): FetchedContext['blocks'] {
  if (text === '' || text === query) return [];
  const place = format === 'augmented' ? 'message' : format === 'facts' ? 'postfix' : 'system';
  return [{ place, text }];
}

function toBody(request: ContextQuery, place: Place, format: string): object {
  const { userId, query, memory, isNamed } = request;
  const preset = presetNamed(place.preset ?? request.preset);
  const hasTurns = preset.retrieval.turns === 'compete';
  return {
    user_id: userId,
    conversation_id: place.conversationId,
    // It may be stored, and extracted, before its context is searched for.
    turn_id: place.userTurnId,
    query: toReadable(query),
    format,
    preset: preset.name,
    // With a named conversation its earlier turns compete with memories (E4), except those in the request itself.
    ...(hasTurns && isNamed
      ? {
          include_turns: true,
          messages: request.spoken.map((one) => ({ ...one, content: toReadable(one.content) })),
        }
      : {}),
    ...(memory.memory_top_k === undefined ? {} : { limit: memory.memory_top_k }),
    ...(memory.memory_recency_weight === undefined ? {} : { recency_weight: memory.memory_recency_weight }),
    ...(memory.memory_mmr_lambda === undefined ? {} : { mmr_lambda: memory.memory_mmr_lambda }),
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
