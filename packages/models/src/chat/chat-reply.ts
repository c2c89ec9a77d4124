import { AppError } from '@factmill/errors';
import type { ChatReply } from './chat-completion.ts';
import { isRecord, UnusableReplyError } from '../errors/error-signals.ts';
import type { ReceivedReply } from '../errors/received-reply.ts';

/**
 * Reads a chat completion. Pure; accepts what endpoints really send: content as text, as a list of parts, null, or
 * missing; usage missing; an error object with status 200.
 *
 * Throws UnusableReplyError when it is no completion; AppError `model_refusal` when the model or its filter
 * declined, `model_truncated` when the limit was reached before any text, `model_bad_reply` when there is no text
 * for no given reason and the request does not allow that. A truncated text is returned, with `finishReason`
 * `length`.
 */
export function parseChatReply(
  body: unknown,
  configuredModel: string,
  { mayBeEmpty = false }: Readonly<{ mayBeEmpty?: boolean }> = {},
): ChatReply {
  const choice: unknown = isRecord(body) && Array.isArray(body['choices']) ? body['choices'][0] : undefined;
  const message = isRecord(choice) ? choice['message'] : undefined;
  if (!isRecord(body) || !isRecord(choice) || !isRecord(message)) throw new UnusableReplyError(body);

  const given = typeof choice['finish_reason'] === 'string' ? choice['finish_reason'] : 'stop';
  const refused = typeof message['refusal'] === 'string' && message['refusal'].trim() !== '';
  if (refused || given === 'content_filter') {
    throw new AppError('model_refusal', 'The model, or the filter in front of it, declined to answer.');
  }
  const text = readContent(message['content']);
  const isEmpty = text.trim() === '';
  if (isEmpty && (given === 'length' || !mayBeEmpty)) throw emptyReplyError(given);
  const finishReason = isEmpty ? (insteadOf(message) ?? given) : given;

  const { promptTokens, completionTokens, model } = readCost(body);
  return { text, finishReason, usage: { promptTokens, completionTokens }, model: model ?? configuredModel };
}

/** The metadata of any reply: the model, the finish reason, and its tokens. */
export function readCost(body: unknown): Omit<ReceivedReply, 'raw'> {
  const reply = isRecord(body) ? body : {};
  const usage = isRecord(reply['usage']) ? reply['usage'] : {};
  const choice: unknown = Array.isArray(reply['choices']) ? reply['choices'][0] : undefined;
  const finishReason = isRecord(choice) ? choice['finish_reason'] : undefined;
  const model = reply['model'];
  return {
    model: typeof model === 'string' && model !== '' ? model : null,
    finishReason: typeof finishReason === 'string' ? finishReason : null,
    promptTokens: readCount(usage['prompt_tokens']),
    completionTokens: readCount(usage['completion_tokens']),
  };
}

/** What a message has instead of a text, if anything. */
function insteadOf(message: Readonly<Record<string, unknown>>): string | undefined {
  const { tool_calls: calls, function_call: call } = message;
  if ((Array.isArray(calls) && calls.length > 0) || isRecord(call)) return 'tool_calls';
  const thoughts = [message['reasoning_content'], message['reasoning'], message['thinking']];
  return thoughts.some((text) => typeof text === 'string' && text.trim() !== '')
    ? 'reasoning_only'
    : undefined;
}

function emptyReplyError(finishReason: string): AppError {
  return finishReason === 'length'
    ? new AppError(
        'model_truncated',
        'The model used up its output limit before it wrote any text. Raise LLM_MAX_TOKENS, or use a model that does not think aloud.',
      )
    : new AppError('model_bad_reply', 'The model answered with an empty text.');
}

function readContent(content: unknown): string {
  if (typeof content === 'string') return content;
  if (!Array.isArray(content)) return '';
  return content
    .map((part: unknown) => {
      if (typeof part === 'string') return part;
      return isRecord(part) && typeof part['text'] === 'string' ? part['text'] : '';
    })
    .join('');
}

function readCount(value: unknown): number {
  return typeof value === 'number' && Number.isFinite(value) && value >= 0 ? Math.trunc(value) : 0;
}
