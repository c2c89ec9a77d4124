import type { ChatMemoryFields, MemoryHit } from '@factmill/contracts';
import { errorOfConnection, FactmillError } from './factmill-error.ts';
import { readEvents } from './server-sent-events.ts';
import type { RequestOptions, Transport } from './transport.ts';

/** A model may take minutes before its answer begins. */
const CHAT_TIMEOUT_MS = 600_000;

export type ChatMessage = Readonly<{ role: string; content?: unknown; [field: string]: unknown }>;

/** A chat completion request. Fields that Factmill does not know go to the upstream unchanged. */
export type ChatRequest = ChatMemoryFields &
  Readonly<{
    model: string;
    messages: readonly ChatMessage[];
    /** The user whose memory is used, as OpenAI's API names it. Default: the client's `userId`. */
    user?: string | undefined;
    [field: string]: unknown;
  }>;

type Usage = Readonly<{ prompt_tokens: number; completion_tokens: number; total_tokens: number }>;
type Said = Readonly<{ role?: string; content?: string | null; [field: string]: unknown }>;

export type ChatCompletion = Readonly<{
  id: string;
  model: string;
  choices: readonly Readonly<{ index: number; message: Said; finish_reason: string | null }>[];
  usage?: Usage;
  /** The memories that went into the request; absent when memory was off. */
  memory_hits?: readonly MemoryHit[];
  [field: string]: unknown;
}>;

export type ChatChunk = Readonly<{
  id: string;
  model: string;
  choices: readonly Readonly<{ index: number; delta: Said; finish_reason: string | null }>[];
  usage?: Usage | null;
  [field: string]: unknown;
}>;

/** Chat completions through the proxy. */
export function createChat({ settings, send, open }: Transport) {
  const toBody = (request: ChatRequest, isStream: boolean) => ({
    ...request,
    user: request.user ?? (request['user_id'] === undefined ? settings.userId : undefined),
    stream: isStream,
  });
  const withTimeout = (options: RequestOptions) => ({ timeoutMs: CHAT_TIMEOUT_MS, ...options });

  return {
    /** The whole answer. `stream` of the request does not matter. */
    complete: (request: ChatRequest, options: RequestOptions = {}): Promise<ChatCompletion> =>
      send('chat.complete', { body: toBody(request, false) }, withTimeout(options)),

    /**
     * The answer in pieces, as the upstream sends them. The request starts with the first iteration; leaving the
     * loop early ends it. A broken stream throws after its pieces were yielded.
     */
    async *stream(
      request: ChatRequest,
      options: RequestOptions = {},
    ): AsyncGenerator<ChatChunk, void, undefined> {
      const response = await open('chat.complete', { body: toBody(request, true) }, withTimeout(options));
      const isStream = response.headers.get('content-type')?.startsWith('text/event-stream') === true;
      if (response.body === null || !isStream) {
        await response.body?.cancel();
        throw unreadable('The answer is not a stream of events; does this upstream know streams?');
      }
      try {
        for await (const data of readEvents(response.body)) {
          if (data === '[DONE]') return;
          yield parseChunk(data);
        }
      } catch (error) {
        options.signal?.throwIfAborted();
        throw error instanceof FactmillError ? error : errorOfConnection(error);
      }
    },
  };
}

function parseChunk(data: string): ChatChunk {
  let chunk: unknown;
  try {
    chunk = JSON.parse(data);
  } catch (cause) {
    throw unreadable('The stream has an event in it that is not JSON.', cause);
  }
  if (typeof chunk !== 'object' || chunk === null)
    throw unreadable('The stream has an event without a chunk.');
  if ('error' in chunk && chunk.error != null) {
    const { code, type, message } = chunk.error as Readonly<Record<string, unknown>>;
    throw new FactmillError({
      kind: 'status',
      code: [code, type].find((name) => typeof name === 'string') ?? 'upstream_error',
      detail: typeof message === 'string' ? message : 'The upstream ended its answer with an error.',
    });
  }
  return chunk as ChatChunk;
}

function unreadable(detail: string, cause?: unknown): FactmillError {
  return new FactmillError({ kind: 'unreadable', code: 'unreadable_answer', detail, cause });
}
