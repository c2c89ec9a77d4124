import { MAX_CONTENT_LENGTH, type MessageInput, messageInputSchema } from '@factmill/contracts';
import { createHash } from 'node:crypto';

/** A message of a chat request, as far as it is looked at. */
export type ChatMessage = Readonly<{
  role?: unknown;
  content?: unknown;
  name?: unknown;
  tool_calls?: unknown;
  tool_call_id?: unknown;
}>;

/** What an assistant answered. */
export type ChatReply = Readonly<{ content: string; toolCalls: readonly Record<string, unknown>[] }>;

const ROLES = ['user', 'assistant', 'tool', 'function'] as const;
const MAX_TOOL_CALLS = 128;

/**
 * The turns of a chat that are stored: from the last user message on (what came before was stored with earlier
 * requests), without system messages. Their ids follow from the conversation up to them, so that a client that sends
 * its history again, or tries again, stores nothing twice.
 */
export function turnsOf(messages: readonly ChatMessage[]): MessageInput[] {
  const spoken = messages.filter(({ role }) => isRole(role));
  const from = spoken.findLastIndex(({ role }) => role === 'user');
  if (from < 0) return [];
  let path = '';
  return spoken.flatMap((message, index) => {
    path = stepOf(path, message);
    if (index < from) return [];
    const turn = toTurn(message, path);
    return turn === null ? [] : [turn];
  });
}

/** The assistant's answer to these messages as a turn; null when it said nothing. */
export function replyTurn(messages: readonly ChatMessage[], reply: ChatReply): MessageInput | null {
  const message: ChatMessage = {
    role: 'assistant',
    content: reply.content === '' ? null : reply.content,
    ...(reply.toolCalls.length === 0 ? {} : { tool_calls: reply.toolCalls }),
  };
  const path = messages.filter(({ role }) => isRole(role)).reduce(stepOf, '');
  return toTurn(message, stepOf(path, message));
}

/** The text of the last user message; empty when there is none. */
export function lastUserText(messages: readonly ChatMessage[]): string {
  return textOf(messages.findLast(({ role }) => role === 'user')?.content);
}

/**
 * The conversation of a chat whose client names none: clients send the whole history each time, so its first user
 * message tells one chat from another.
 */
export function conversationIdOf(messages: readonly ChatMessage[], userId: string): string {
  const first = messages.find(({ role }) => role === 'user');
  return `chat-${digest(`${userId}\n${textOf(first?.content)}`)}`;
}

/** The conversation of a user's own in place of one that is another user's. */
export function ownConversationIdOf(conversationId: string, userId: string): string {
  return `chat-${digest(`${userId}\u0000${conversationId}`)}`;
}

/** The text of a message: as it is, or the text parts of a list of parts. */
export function textOf(content: unknown): string {
  if (typeof content === 'string') return content;
  if (!Array.isArray(content)) return '';
  return content
    .flatMap((part: unknown) =>
      typeof part === 'object' && part !== null && 'text' in part && typeof part.text === 'string'
        ? [part.text]
        : [],
    )
    .join('\n');
}

function isRole(role: unknown): role is (typeof ROLES)[number] {
  return ROLES.some((known) => known === role);
}

function stepOf(path: string, message: ChatMessage): string {
  const calls = Array.isArray(message.tool_calls) ? JSON.stringify(message.tool_calls.map(callOf)) : '';
  return digest(`${path}\n${String(message.role)}\n${textOf(message.content)}\n${calls}`);
}

/**
 * What makes a tool call the same call, however it is written: put together from a stream, its fields are in another
 * order, and clients write its arguments anew.
 */
function callOf(call: unknown): unknown {
  if (!isRecord(call)) return call;
  const { function: called } = call;
  if (!isRecord(called)) return inOrder(call);
  return [call['id'] ?? null, called['name'] ?? null, argumentsOf(called['arguments'])];
}

function argumentsOf(given: unknown): unknown {
  if (typeof given !== 'string') return inOrder(given);
  try {
    return inOrder(JSON.parse(given));
  } catch {
    return given;
  }
}

/** The same value with the fields of its objects in alphabetical order. */
function inOrder(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(inOrder);
  if (!isRecord(value)) return value;
  return Object.fromEntries(
    Object.keys(value)
      .toSorted()
      .map((key) => [key, inOrder(value[key])]),
  );
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function digest(text: string): string {
  return createHash('sha256').update(text).digest('base64url').slice(0, 24);
}

function toTurn(message: ChatMessage, path: string): MessageInput | null {
  if (!isRole(message.role)) return null;
  const text = textOf(message.content).replaceAll('\u0000', '').slice(0, MAX_CONTENT_LENGTH).toWellFormed();
  const toolCalls = Array.isArray(message.tool_calls) ? message.tool_calls.slice(0, MAX_TOOL_CALLS) : [];
  const turn = {
    id: `turn-${path}`,
    role: message.role,
    content: text.trim() === '' ? null : text,
    ...(toolCalls.length === 0 ? {} : { tool_calls: toolCalls }),
  };
  const named = {
    ...turn,
    ...(typeof message.name === 'string' ? { name: message.name } : {}),
    ...(typeof message.tool_call_id === 'string' ? { tool_call_id: message.tool_call_id } : {}),
  };
  // What cannot be stored as it is goes without the names; a message with nothing in it is no turn.
  return (
    messageInputSchema.safeParse(named).data ??
    messageInputSchema.safeParse(turn).data ??
    messageInputSchema.safeParse({ ...turn, tool_calls: undefined }).data ??
    null
  );
}
