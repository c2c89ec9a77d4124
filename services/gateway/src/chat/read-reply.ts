import { StringDecoder } from 'node:string_decoder';
import type { ChatReply } from './chat-turns.ts';

/** A longer answer is forwarded but not stored. */
const MAX_LEARNED_CHARACTERS = 400_000;

/** Reads an answer while it is forwarded; returns the assistant's reply so far. */
export type ReplyReader = Readonly<{ push: (chunk: Buffer) => void; reply: () => ChatReply }>;

/** Reads the server-sent events of a chat completion (first choice only). */
export function createStreamReader(): ReplyReader {
  const decoder = new StringDecoder('utf8');
  const toolCalls = new Map<number, ToolCall>();
  let rest = '';
  let content = '';
  return {
    push(chunk) {
      if (content.length > MAX_LEARNED_CHARACTERS || rest.length > MAX_LEARNED_CHARACTERS) return;
      const lines = (rest + decoder.write(chunk)).split(/\r\n|\n|\r/);
      rest = lines.pop() ?? '';
      for (const line of lines) {
        if (!line.startsWith('data:')) continue;
        const delta = deltaOf(line.slice(5));
        if (delta === null) continue;
        if (typeof delta.content === 'string') content += delta.content;
        for (const call of recordsOf(delta.tool_calls)) mergeToolCall(toolCalls, call);
      }
    },
    reply: () => ({ content, toolCalls: [...toolCalls.values()] }),
  };
}

/** Reads a whole chat completion. */
export function createBodyReader(): ReplyReader {
  const decoder = new StringDecoder('utf8');
  let text = '';
  return {
    push(chunk) {
      if (text.length <= MAX_LEARNED_CHARACTERS * 2) text += decoder.write(chunk);
    },
    reply: () => readBody(text),
  };
}

function readBody(text: string): ChatReply {
  const message = firstChoice(parse(text))?.['message'];
  const { content, tool_calls: toolCalls } = isRecord(message) ? message : {};
  return { content: typeof content === 'string' ? content : '', toolCalls: recordsOf(toolCalls) };
}

type ToolCall = { id?: unknown; type?: unknown; function: { name: string; arguments: string } };
type Delta = Readonly<{ content?: unknown; tool_calls?: unknown }>;

function deltaOf(data: string): Delta | null {
  const delta = firstChoice(parse(data))?.['delta'];
  return isRecord(delta) ? delta : null;
}

function firstChoice(body: unknown): Record<string, unknown> | undefined {
  const choices = isRecord(body) ? recordsOf(body['choices']) : [];
  return choices.find((choice) => choice['index'] === 0 || choice['index'] === undefined);
}

/** A tool call arrives in pieces: the first has id and name, the others more of the arguments. */
function mergeToolCall(calls: Map<number, ToolCall>, piece: Record<string, unknown>): void {
  const index = typeof piece['index'] === 'number' ? piece['index'] : 0;
  const call = calls.get(index) ?? { type: 'function', function: { name: '', arguments: '' } };
  const called = isRecord(piece['function']) ? piece['function'] : {};
  if (typeof piece['id'] === 'string') call.id = piece['id'];
  if (typeof called['name'] === 'string') call.function.name += called['name'];
  if (typeof called['arguments'] === 'string') call.function.arguments += called['arguments'];
  calls.set(index, call);
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function recordsOf(value: unknown): Record<string, unknown>[] {
  return Array.isArray(value) ? value.filter(isRecord) : [];
}
