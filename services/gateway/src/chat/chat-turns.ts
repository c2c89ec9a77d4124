import {
  contentText,
  MAX_CONTENT_LENGTH,
  MAX_MESSAGES_PER_REQUEST,
  type MessageInput,
  messageInputSchema,
  shortDigest,
} from '@factmill/contracts';

/** The fields of a chat message that memory uses. */
export type ChatMessage = Readonly<{
  role?: unknown;
  content?: unknown;
  name?: unknown;
  tool_calls?: unknown;
  tool_call_id?: unknown;
}>;

/** The assistant's answer. */
export type ChatReply = Readonly<{ content: string; toolCalls: readonly Record<string, unknown>[] }>;

const ROLES = ['user', 'assistant', 'tool', 'function'] as const;
const MAX_TOOL_CALLS = 128;

/** The conversation in a request, and the position of its last user message. */
export type ChatPath = Readonly<{
  /** The first user message. */
  first: ChatMessage;
  /**
   * The last user message and the messages after it. Messages of people, assistants and tools count; system messages
   * do not, because clients change them.
   */
  latest: readonly ChatMessage[];
  /** For each message, a digest of it and all before it. */
  digests: readonly string[];
  /** The number of the last user message. */
  last: number;
  /** The id of that message when it is stored for the first time. */
  turnId: string;
  /** The id of the message before it; null when it is the first. */
  previousId: string | null;
  /** Whether there are earlier user messages: the client sends its history. */
  hasHistory: boolean;
  /** Whether the assistant has begun to answer it, as in a loop of tool calls. */
  isContinued: boolean;
}>;

/** Null for a request without a user message. */
export function chatPathOf(messages: readonly ChatMessage[]): ChatPath | null {
  const spoken = messages.filter(({ role }) => isRole(role));
  const last = spoken.findLastIndex(isUser);
  const first = spoken.find(isUser);
  if (first === undefined) return null;
  let path = '';
  const digests = spoken.map((message) => (path = stepOf(path, message)));
  const lastBefore = spoken.slice(0, last).findLastIndex(isUser);
  const isReply = lastBefore >= 0 && lastBefore < last - 1;
  return {
    first,
    latest: spoken.slice(last),
    digests,
    last,
    turnId: `turn-${digests[last]}`,
    previousId: last === 0 ? null : `turn-${isReply ? `${digests[lastBefore]}.` : ''}${digests[last - 1]}`,
    hasHistory: lastBefore >= 0,
    isContinued: last < spoken.length - 1,
  };
}

/**
 * The turns of a request to store: from the last user message on (earlier ones were stored with earlier requests).
 * The ids of later turns are the user turn's id, a dot and a digest of the content, so that a client that sends its
 * history or repeats the request stores nothing twice.
 */
export function turnsOf({ latest, digests, last }: ChatPath, userTurnId: string): MessageInput[] {
  const storedBefore = latest.length - MAX_MESSAGES_PER_REQUEST;
  return latest.flatMap((message, index) => {
    // A longer loop of tool calls was stored step by step with the earlier requests.
    if (index > 0 && index <= storedBefore) return [];
    const turn = toTurn(message, index === 0 ? userTurnId : `${userTurnId}.${digests[last + index]}`);
    return turn === null ? [] : [turn];
  });
}

/** The assistant's answer as a turn; null when it is empty. */
export function replyTurn({ digests }: ChatPath, reply: ChatReply, userTurnId: string): MessageInput | null {
  const message: ChatMessage = {
    role: 'assistant',
    content: reply.content === '' ? null : reply.content,
    ...(reply.toolCalls.length === 0 ? {} : { tool_calls: reply.toolCalls }),
  };
  return toTurn(message, `${userTurnId}.${stepOf(digests.at(-1) ?? '', message)}`);
}

/** The text of the last user message; empty when there is none. */
export function lastUserText(messages: readonly ChatMessage[]): string {
  return contentText(messages.findLast(({ role }) => role === 'user')?.content);
}

function isUser({ role }: ChatMessage): boolean {
  return role === 'user';
}

function isRole(role: unknown): role is (typeof ROLES)[number] {
  return ROLES.some((known) => known === role);
}

function stepOf(path: string, message: ChatMessage): string {
  const calls = Array.isArray(message.tool_calls) ? JSON.stringify(message.tool_calls.map(callOf)) : '';
  return shortDigest(`${path}\n${String(message.role)}\n${contentText(message.content)}\n${calls}`);
}

/**
 * The identity of a tool call in any form: assembled from a stream it has another order of fields, and clients
 * reformat its arguments.
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

function toTurn(message: ChatMessage, id: string): MessageInput | null {
  if (!isRole(message.role)) return null;
  const text = contentText(message.content)
    .replaceAll('\u0000', '')
    .slice(0, MAX_CONTENT_LENGTH)
    .toWellFormed();
  const toolCalls = Array.isArray(message.tool_calls) ? message.tool_calls.slice(0, MAX_TOOL_CALLS) : [];
  const turn = {
    id,
    role: message.role,
    content: text.trim() === '' ? null : text,
    ...(toolCalls.length === 0 ? {} : { tool_calls: toolCalls }),
  };
  const named = {
    ...turn,
    ...(typeof message.name === 'string' ? { name: message.name } : {}),
    ...(typeof message.tool_call_id === 'string' ? { tool_call_id: message.tool_call_id } : {}),
  };
  // A tool call that cannot be stored loses its name; a message without content is no turn.
  return (
    messageInputSchema.safeParse(named).data ??
    messageInputSchema.safeParse(turn).data ??
    messageInputSchema.safeParse({ ...turn, tool_calls: undefined }).data ??
    null
  );
}
