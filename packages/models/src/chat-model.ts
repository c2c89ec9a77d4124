import { isAppError } from '@factmill/errors';
import { parseChatReply } from './chat-reply.ts';
import { createEndpointClient } from './endpoint-client.ts';
import { ModelCallError } from './error-signals.ts';

export type ChatMessage = Readonly<{ role: 'system' | 'user' | 'assistant'; content: string }>;

export type ChatModelConfig = Readonly<{
  /** Up to and including the version, as in `http://127.0.0.1:11434/v1`. */
  baseUrl: string;
  /** Bearer key. Empty or left out: no Authorization header is sent at all. */
  apiKey?: string;
  model: string;
  /** For the whole call, from connecting to the last byte of the reply. */
  timeoutMs: number;
  /** Default 512. */
  maxTokens?: number;
  /** Default 0.1. */
  temperature?: number;
}>;

export type ChatRequest = Readonly<{ messages: readonly ChatMessage[]; signal?: AbortSignal }>;

export type ChatReply = Readonly<{
  /** Never empty. */
  text: string;
  /** As the endpoint says it: `stop`, or `length` when the text was cut at `maxTokens`. */
  finishReason: string;
  /** 0 when the endpoint does not count. */
  usage: Readonly<{ promptTokens: number; completionTokens: number }>;
  /** The model that answered, as the endpoint names it. */
  model: string;
}>;

export type ChatModel = Readonly<{
  /** The configured model. */
  name: string;
  complete: (request: ChatRequest) => Promise<ChatReply>;
  close: () => Promise<void>;
}>;

/**
 * A client for non-streaming chat completions at an OpenAI-compatible endpoint.
 *
 * `complete` makes one attempt and throws AppError: `model_throttled` and `model_transient` (try again later),
 * `model_quota`, `model_config` (someone has to act), `model_input`, `model_refusal`, `model_truncated`,
 * `model_bad_reply` (this request will not work), `shutting_down` after `close`. When the request's signal fires it
 * rejects at once with that signal's reason. Throws `model_config` here when `baseUrl` is no URL.
 */
export function createChatModel(
  config: ChatModelConfig,
  deps: Readonly<{ now: () => number }> = { now: Date.now },
): ChatModel {
  const { baseUrl, apiKey = '', model, timeoutMs, maxTokens = 512, temperature = 0.1 } = config;
  const endpoint = createEndpointClient({ baseUrl, apiKey, timeoutMs, settings: 'LLM', now: deps.now });
  // What this model takes; learned from its first complaint and kept.
  let limitField: 'max_tokens' | 'max_completion_tokens' = 'max_tokens';
  let sendsTemperature = true;

  const request = async ({ messages, signal }: ChatRequest): Promise<unknown> => {
    const sent = { limitField, sendsTemperature };
    const body = {
      model,
      messages,
      stream: false,
      [sent.limitField]: maxTokens,
      ...(sent.sendsTemperature ? { temperature } : {}),
    };
    try {
      return await endpoint.post('/chat/completions', body, signal);
    } catch (error) {
      const parameter = rejectedParameterOf(error);
      // Newer hosted models refuse `max_tokens` and any temperature but their own. Such a refusal costs nothing, so
      // the request is repeated at once without what was refused; each of the two can happen only once.
      if (parameter === 'max_tokens' && sent.limitField === 'max_tokens')
        limitField = 'max_completion_tokens';
      else if (parameter === 'temperature' && sent.sendsTemperature) sendsTemperature = false;
      else throw error;
      return request({ messages, ...(signal ? { signal } : {}) });
    }
  };

  return {
    name: model,
    complete: async (chatRequest) => {
      const body = await request(chatRequest);
      try {
        return parseChatReply(body, model);
      } catch (error) {
        throw endpoint.toError(error);
      }
    },
    close: endpoint.close,
  };
}

function rejectedParameterOf(error: unknown): string | undefined {
  return isAppError(error) && error.cause instanceof ModelCallError
    ? error.cause.signals.rejectedParameter
    : undefined;
}
