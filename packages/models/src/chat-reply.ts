import { AppError } from '@factmill/errors';
import type { ChatReply } from './chat-model.ts';
import { isRecord, UnusableReplyError } from './error-signals.ts';

/**
 * Reads a chat completion. Pure; takes what endpoints really send: content as text, as a list of parts, null, or
 * missing; usage missing; an error object with status 200.
 *
 * Throws UnusableReplyError when it is no completion, AppError `model_refusal` when the model or its filter
 * declined, `model_truncated` when the limit was reached before any text, `model_bad_reply` when there is no text
 * for no given reason and it may not be empty. A text that was cut is returned, with `finishReason` `length`.
 */
export function parseChatReply(
  body: unknown,
  configuredModel: string,
  { mayBeEmpty = false }: Readonly<{ mayBeEmpty?: boolean }> = {},
): ChatReply {
  const choice: unknown = isRecord(body) && Array.isArray(body['choices']) ? body['choices'][0] : undefined;
  const message = isRecord(choice) ? choice['message'] : undefined;
  if (!isRecord(body) || !isRecord(choice) || !isRecord(message)) throw new UnusableReplyError(body);

  const finishReason = typeof choice['finish_reason'] === 'string' ? choice['finish_reason'] : 'stop';
  const refused = typeof message['refusal'] === 'string' && message['refusal'].trim() !== '';
  if (refused || finishReason === 'content_filter') {
    throw new AppError('model_refusal', 'The model, or the filter in front of it, declined to answer.');
  }
  const text = readContent(message['content']);
  const isEmpty = text.trim() === '';
  if (isEmpty && (finishReason === 'length' || !mayBeEmpty)) throw emptyReplyError(finishReason);

  const usage = isRecord(body['usage']) ? body['usage'] : {};
  return {
    text,
    finishReason,
    usage: {
      promptTokens: readCount(usage['prompt_tokens']),
      completionTokens: readCount(usage['completion_tokens']),
    },
    model: typeof body['model'] === 'string' && body['model'] !== '' ? body['model'] : configuredModel,
  };
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
