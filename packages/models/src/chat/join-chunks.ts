import { isRecord, UnusableReplyError } from '../errors/error-signals.ts';

/**
 * Joins the chunks of a streamed chat completion into the completion that `parseChatReply` reads. Pure.
 *
 * Throws UnusableReplyError for chunks that are none or report an error, and `connection lost` when the stream
 * ended before its finish reason: the text so far is no answer then.
 */
export function joinChunks(chunks: readonly unknown[]): unknown {
  let content = '';
  let refusal = '';
  let reasoning = '';
  const toolCalls: unknown[] = [];
  let finishReason: string | undefined;
  let usage: unknown;
  let model: unknown;
  for (const chunk of chunks) {
    if (!isRecord(chunk) || 'error' in chunk) throw new UnusableReplyError(chunk);
    model ??= chunk['model'];
    usage = chunk['usage'] ?? usage;
    const choice: unknown = Array.isArray(chunk['choices']) ? chunk['choices'][0] : undefined;
    if (!isRecord(choice)) continue;
    const delta = isRecord(choice['delta']) ? choice['delta'] : {};
    if (typeof delta['content'] === 'string') content += delta['content'];
    if (typeof delta['refusal'] === 'string') refusal += delta['refusal'];
    const thought = delta['reasoning_content'] ?? delta['reasoning'];
    if (typeof thought === 'string') reasoning += thought;
    if (Array.isArray(delta['tool_calls'])) toolCalls.push(...(delta['tool_calls'] as unknown[]));
    if (typeof choice['finish_reason'] === 'string') finishReason = choice['finish_reason'];
  }
  // The message of Node's fetch for a body that broke off.
  if (finishReason === undefined) throw new TypeError('terminated');
  const message = { content, refusal: refusal === '' ? null : refusal, reasoning, tool_calls: toolCalls };
  return { model, usage, choices: [{ message, finish_reason: finishReason }] };
}
