import type { CoveredMessage } from '@factmill/database';
import type { ToolCall, TranscriptMessage } from '@factmill/extraction';

/** A stored message in the form of the extraction pipeline. */
export function toTranscriptMessage({
  name,
  toolCalls,
  toolCallId,
  channel,
  sender,
  ...message
}: CoveredMessage): TranscriptMessage {
  return {
    ...message,
    ...(name === null ? {} : { name }),
    ...(toolCalls === undefined || toolCalls === null
      ? {}
      : { toolCalls: toolCalls.flatMap((call) => toToolCall(call)) }),
    ...(typeof toolCallId === 'string' ? { toolCallId } : {}),
    ...(typeof channel === 'string' ? { channel } : {}),
    ...(typeof sender === 'string' ? { sender } : {}),
  };
}

/** Clients send `{id, type: 'function', function: {name, arguments}}`; any other form has no name to show. */
function toToolCall(call: unknown): ToolCall[] {
  const { id, name, function: called, arguments: given } = fieldsOf(call);
  const inner = fieldsOf(called);
  const calledName = inner['name'] ?? name;
  const calledWith = inner['arguments'] ?? given ?? '';
  if (typeof calledName !== 'string') return [];
  return [
    {
      id: typeof id === 'string' ? id : '',
      name: calledName,
      arguments: typeof calledWith === 'string' ? calledWith : JSON.stringify(calledWith),
    },
  ];
}

function fieldsOf(value: unknown): Record<string, unknown> {
  return typeof value === 'object' && value !== null ? { ...value } : {};
}
