import { isAppError } from '@factmill/errors';
import type { ChatReply, ChatRequest } from './chat-completion.ts';
import { parseChatReply, readCost } from './chat-reply.ts';
import { createEndpointClient, type EndpointClient, type PostReply } from '../endpoint/endpoint-client.ts';
import { ModelCallError } from '../errors/error-signals.ts';
import { joinChunks } from './join-chunks.ts';
import { noteReceived } from '../errors/received-reply.ts';
import { createRequestShape } from './request-shape.ts';

export type ChatModelConfig = Readonly<{
  /** Up to and including the version, as in `http://127.0.0.1:11434/v1`. */
  baseUrl: string;
  /** Bearer key. Without one no Authorization header is sent. */
  apiKey?: string;
  model: string;
  /** For the whole call, from connecting to the last byte of the reply. */
  timeoutMs: number;
  /** Default 512. */
  maxTokens?: number;
  /** Default 0.1. */
  temperature?: number;
}>;

export type ChatModel = Readonly<{
  /** Name of the configured model. */
  name: string;
  complete: (request: ChatRequest) => Promise<ChatReply>;
  close: () => Promise<void>;
}>;

/**
 * A client for chat completions of one model at an OpenAI-compatible endpoint.
 *
 * `complete` makes one attempt and throws AppError: `model_throttled` and `model_transient` (try again later),
 * `model_quota`, `model_config` (an operator must act), `model_input`, `model_refusal`, `model_truncated`,
 * `model_bad_reply` (this request will never work), `shutting_down` after `close`. When the request's signal fires
 * it rejects at once with that signal's reason. For an unusable reply, `receivedReplyOf` returns its beginning.
 * Throws `model_config` here when `baseUrl` is no URL.
 */
export function createChatModel(
  config: ChatModelConfig,
  deps: Readonly<{ now: () => number }> = { now: Date.now },
): ChatModel {
  const { baseUrl, apiKey = '', timeoutMs } = config;
  const endpoint = createEndpointClient({ baseUrl, apiKey, timeoutMs, settings: 'LLM', now: deps.now });
  return { ...createChatModelAt(endpoint, config), close: endpoint.close };
}

/** The same over a client that the caller closes. */
export function createChatModelAt(
  endpoint: EndpointClient,
  config: Pick<ChatModelConfig, 'model' | 'maxTokens' | 'temperature'>,
): Omit<ChatModel, 'close'> {
  const { model, temperature = 0.1 } = config;
  const shape = createRequestShape(model);

  const ask = async (request: ChatRequest): Promise<PostReply> => {
    const { messages, schema, stream = false, signal, outputFactor = 1 } = request;
    const maxTokens = (request.maxTokens ?? config.maxTokens ?? 512) * outputFactor;
    const { body, sent } = shape.build({ messages, maxTokens, temperature, schema, stream });
    try {
      return await endpoint.post('/chat/completions', body, signal);
    } catch (error) {
      if (shape.learn(sent, rejectedParameterOf(error))) return ask(request);
      throw error;
    }
  };

  function readReply(raw: string, read: () => unknown, { mayBeEmpty = false }: ChatRequest): ChatReply {
    let body: unknown;
    try {
      body = read();
      return parseChatReply(body, model, { mayBeEmpty });
    } catch (error) {
      throw noteReceived(endpoint.toError(error), { raw, ...readCost(body) });
    }
  }

  return {
    name: model,
    complete: async (request) => {
      try {
        const { raw, body, events } = await ask(request);
        return readReply(raw, () => (events === undefined ? body : joinChunks(events)), request);
      } catch (error) {
        request.signal?.throwIfAborted();
        throw endpoint.toError(error);
      }
    },
  };
}

function rejectedParameterOf(error: unknown): string | undefined {
  return isAppError(error) && error.cause instanceof ModelCallError
    ? error.cause.signals.rejectedParameter
    : undefined;
}
