import {
  type ChatMemoryFields,
  chatMemoryFieldsSchema,
  MAX_JSON_DEPTH,
  userIdSchema,
} from '@factmill/contracts';
import { AppError } from '@factmill/errors';
import { validate } from '@factmill/http';
import { type ChatMessage, textOf } from './chat-turns.ts';
import { itemsOf, memberOf, replaceSpans, type Span, withoutMembers } from './json-spans.ts';

export type ChatRequest = Readonly<{
  /** The JSON to send upstream: as it came, less the memory fields. */
  forward: string;
  memory: ChatMemoryFields;
  model: string;
  isStream: boolean;
  /** The user that the request names, by OpenAI's field `user`. */
  userId: string | undefined;
  messages: readonly ChatMessage[];
}>;

/**
 * Reads a chat completion request as far as memory needs it. Everything else in it is the upstream's to judge.
 *
 * @throws AppError `invalid_json`; `invalid_request` naming the memory field that is wrong
 */
export function readChatRequest(text: string): ChatRequest {
  let body: unknown;
  try {
    body = JSON.parse(text);
  } catch {
    throw new AppError('invalid_json', 'The body is not valid JSON.');
  }
  if (typeof body !== 'object' || body === null || Array.isArray(body)) {
    throw new AppError('invalid_request', 'The body has to be a chat completion request: a JSON object.');
  }
  const fields = new Map<string, unknown>(Object.entries(body));
  const memory = validate(
    chatMemoryFieldsSchema,
    Object.fromEntries([...fields].filter(([key, value]) => isMemoryField(key) && value !== null)),
  );
  const messages = fields.get('messages');
  const user = userIdSchema.safeParse(fields.get('user') ?? fields.get('user_id'));
  return {
    forward: withoutMembers(text, (key) => !isMemoryField(key)),
    memory,
    model: typeof fields.get('model') === 'string' ? String(fields.get('model')) : '',
    isStream: fields.get('stream') === true,
    userId: user.success ? user.data : undefined,
    messages: Array.isArray(messages) ? messages.filter(isObject).map(withoutDeepCalls) : [],
  };
}

function isMemoryField(key: string): boolean {
  return Object.hasOwn(chatMemoryFieldsSchema.shape, key);
}

function isObject(value: unknown): value is object {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** What is nested deeper than anything that is stored is not looked at, and goes upstream all the same. */
function withoutDeepCalls(message: ChatMessage): ChatMessage {
  return isWithin(message.tool_calls, MAX_JSON_DEPTH) ? message : { ...message, tool_calls: undefined };
}

function isWithin(value: unknown, depth: number): boolean {
  if (typeof value !== 'object' || value === null) return true;
  return depth > 0 && Object.values(value).every((child) => isWithin(child, depth - 1));
}

/**
 * The request with the last user message saying `text` instead of its own text. Other parts of it (images) stay, and
 * so does every other byte of the request.
 */
export function withUserText(forward: string, text: string): string {
  const content = lastContent(forward, (role) => role === 'user');
  if (content === null) return forward;
  const value: unknown = JSON.parse(forward.slice(content.start, content.end));
  if (!Array.isArray(value)) return replaceSpans(forward, [{ span: content, by: JSON.stringify(text) }]);
  const parts = itemsOf(forward, content.start);
  const isText = (part: Span) => textOf([JSON.parse(forward.slice(part.start, part.end))]) !== '';
  const rest = parts.filter((part) => !isText(part)).map(({ start, end }) => forward.slice(start, end));
  const by = `[${[JSON.stringify({ type: 'text', text }), ...rest].join(',')}]`;
  return replaceSpans(forward, [{ span: content, by }]);
}

/** The request with one more system message, after the system messages that begin it. */
export function withSystemMessage(forward: string, text: string): string {
  const messages = memberOf(forward, 0, 'messages');
  if (messages === undefined) return forward;
  const items = itemsOf(forward, messages.value.start);
  const after = items.findIndex((item) => !isSystem(roleOf(forward, item)));
  const message = JSON.stringify({ role: 'system', content: text });
  const next = items[after < 0 ? items.length : after];
  const last = items.at(-1);
  if (next !== undefined) {
    return replaceSpans(forward, [{ span: { start: next.start, end: next.start }, by: `${message},` }]);
  }
  if (last !== undefined) {
    return replaceSpans(forward, [{ span: { start: last.end, end: last.end }, by: `,${message}` }]);
  }
  return replaceSpans(forward, [{ span: messages.value, by: `[${message}]` }]);
}

function isSystem(role: unknown): boolean {
  return role === 'system' || role === 'developer';
}

function roleOf(text: string, item: Span): unknown {
  const role = memberOf(text, item.start, 'role');
  return role === undefined ? undefined : JSON.parse(text.slice(role.value.start, role.value.end));
}

function lastContent(forward: string, hasRole: (role: unknown) => boolean): Span | null {
  const messages = memberOf(forward, 0, 'messages');
  if (messages === undefined) return null;
  const item = itemsOf(forward, messages.value.start).findLast((span) => hasRole(roleOf(forward, span)));
  return item === undefined ? null : (memberOf(forward, item.start, 'content')?.value ?? null);
}
