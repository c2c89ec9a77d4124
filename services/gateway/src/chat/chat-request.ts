import { setImmediate as nextTurn } from 'node:timers/promises';
import {
  type ChatMemoryFields,
  chatMemoryFieldsSchema,
  MAX_CHAT_MESSAGES,
  MAX_JSON_DEPTH,
  userIdSchema,
} from '@factmill/contracts';
import { AppError } from '@factmill/errors';
import { type JsonNode, validate } from '@factmill/http';
import type { ChatMessage } from './chat-turns.ts';
import {
  type Edit,
  isArray,
  isObject,
  isString,
  keyOf,
  membersByKey,
  parseNode,
  removeMembers,
} from './json-edits.ts';

/**
 * How deep a request's values must be recorded: request, members, messages, their members, content parts, their
 * members.
 */
export const CHAT_RECORDED_DEPTH = 6;

/** A request with more text, beyond the context of any model, is forwarded without being read for memory. */
const MAX_READ_BYTES = 8 * 1024 * 1024;
/** Tool calls are read and stored up to this size per message; larger ones are only forwarded. */
const MAX_TOOL_CALLS_BYTES = 1024 * 1024;
/** A longer value of a field is no memory field, model or user. */
const MAX_FIELD_BYTES = 16 * 1024;
/** Messages read in one turn of the event loop. */
const MESSAGES_PER_TURN = 500;

export type ChatRequest = Readonly<{
  /** Edits that remove the memory fields before the request goes upstream. */
  removed: readonly Edit[];
  memory: ChatMemoryFields;
  model: string;
  isStream: boolean;
  /** The user that the request names, by OpenAI's field `user`. */
  userId: string | undefined;
  /** The messages of the request; null when they have more text than is read. */
  messages: readonly ChatMessage[] | null;
}>;

/**
 * Reads a chat completion request as far as memory needs it, by the positions of its values: images and everything
 * else that is not text are not copied. The upstream judges the rest.
 *
 * @throws AppError `invalid_request` naming the wrong field
 */
export async function readChatRequest(bytes: Buffer, root: JsonNode | null): Promise<ChatRequest> {
  if (root === null || !isObject(bytes, root)) {
    throw new AppError('invalid_request', 'The body has to be a chat completion request: a JSON object.');
  }
  const members = (root.children ?? []).map((node) => [keyOf(bytes, node), node] as const);
  const memoryFields = new Set(members.filter(([key]) => isMemoryField(key)).map(([, node]) => node));
  const fields = new Map(members);
  const fieldOf = (key: string) => {
    const node = fields.get(key);
    return node === undefined || node.end - node.start > MAX_FIELD_BYTES ? undefined : parseNode(bytes, node);
  };
  const given = [...fields]
    .filter(([key]) => isMemoryField(key))
    .map(([key, node]) => {
      if (node.end - node.start > MAX_FIELD_BYTES) throw invalidField(key, 'is too long');
      return [key, parseNode(bytes, node)] as const;
    });
  const user = userIdSchema.safeParse(fieldOf('user') ?? fieldOf('user_id'));
  const model = fieldOf('model');
  return {
    removed: removeMembers(root, (member) => memoryFields.has(member)),
    memory: validate(chatMemoryFieldsSchema, Object.fromEntries(given.filter(([, value]) => value !== null))),
    model: typeof model === 'string' ? model : '',
    isStream: fieldOf('stream') === true,
    userId: user.success ? user.data : undefined,
    messages: await readMessages(bytes, fields.get('messages')),
  };
}

function isMemoryField(key: string): boolean {
  return Object.hasOwn(chatMemoryFieldsSchema.shape, key);
}

function invalidField(field: string, message: string): AppError {
  return new AppError('invalid_request', `${field}: ${message}.`, { fields: [{ field, message }] });
}

async function readMessages(bytes: Buffer, list: JsonNode | undefined): Promise<ChatMessage[] | null> {
  if (list === undefined || !isArray(bytes, list)) return [];
  const nodes = list.children ?? [];
  if (nodes.length > MAX_CHAT_MESSAGES) {
    throw invalidField('messages', `must not be more than ${MAX_CHAT_MESSAGES}`);
  }
  const messages: ChatMessage[] = [];
  let left = MAX_READ_BYTES;
  for (const [index, node] of nodes.entries()) {
    if (index % MESSAGES_PER_TURN === MESSAGES_PER_TURN - 1) await nextTurn();
    if (!isObject(bytes, node)) continue;
    const { message, size } = readMessage(bytes, node, left);
    left -= size;
    if (left < 0) return null;
    messages.push(message);
  }
  return messages;
}

/** The fields of a message that memory uses. A message with text longer than `maxBytes` is not read at all. */
function readMessage(
  bytes: Buffer,
  node: JsonNode,
  maxBytes: number,
): Readonly<{ message: ChatMessage; size: number }> {
  const members = membersByKey(bytes, node);
  const texts = textNodes(bytes, members.get('content'));
  const calls = members.get('tool_calls');
  const callsAreRead =
    calls !== undefined && calls.end - calls.start <= MAX_TOOL_CALLS_BYTES && calls.levels <= MAX_JSON_DEPTH;
  const size = [...texts.nodes, ...(callsAreRead ? [calls] : [])].reduce(
    (sum, { start, end }) => sum + end - start,
    0,
  );
  if (size > maxBytes) return { message: {}, size };
  const fieldOf = (key: string) => {
    const field = members.get(key);
    return field === undefined || field.end - field.start > MAX_FIELD_BYTES
      ? undefined
      : parseNode(bytes, field);
  };
  const content = texts.nodes.map((text) => parseNode(bytes, text));
  return {
    size,
    message: {
      role: fieldOf('role'),
      content: texts.isWhole ? content[0] : content.map((text) => ({ text })),
      name: fieldOf('name'),
      // Values nested deeper than anything that is stored are not read.
      tool_calls: callsAreRead ? parseNode(bytes, calls) : undefined,
      tool_call_id: fieldOf('tool_call_id'),
    },
  };
}

/** The positions of a content's text: all of it, or the texts of its parts. */
function textNodes(
  bytes: Buffer,
  content: JsonNode | undefined,
): Readonly<{ isWhole: boolean; nodes: readonly JsonNode[] }> {
  if (content === undefined || !isArray(bytes, content)) {
    return { isWhole: true, nodes: content !== undefined && isString(bytes, content) ? [content] : [] };
  }
  const nodes = (content.children ?? []).flatMap((part) => textOfPart(bytes, part) ?? []);
  return { isWhole: false, nodes };
}

function textOfPart(bytes: Buffer, part: JsonNode): JsonNode | undefined {
  const text = membersByKey(bytes, part).get('text');
  return text !== undefined && isString(bytes, text) ? text : undefined;
}

/**
 * Replaces the text of the last user message by `text`. Its other parts (images) and every other byte of the request
 * stay.
 */
export function withUserText(bytes: Buffer, root: JsonNode, text: string): Edit[] {
  const content = lastUserContent(bytes, root);
  if (content === undefined) return [];
  const said = JSON.stringify(text);
  if (!isArray(bytes, content)) return [{ start: content.start, end: content.end, by: said }];
  const parts = content.children ?? [];
  // An empty text is not one; its part stays.
  const rest = parts.filter((part) => {
    const node = textOfPart(bytes, part);
    return node === undefined || node.end - node.start <= '""'.length;
  });
  const first = `[${JSON.stringify({ type: 'text', text })}`;
  const [next] = rest;
  if (next === undefined) return [{ start: content.start, end: content.end, by: `${first}]` }];
  return [
    { start: content.start, end: next.start, by: `${first},` },
    ...rest.map((part, index) => {
      const following = rest[index + 1];
      return {
        start: part.end,
        end: following?.start ?? content.end,
        by: following === undefined ? ']' : ',',
      };
    }),
  ];
}

/** Adds one system message after those at the beginning of the request. */
export function withSystemMessage(bytes: Buffer, root: JsonNode, text: string): Edit[] {
  const list = membersByKey(bytes, root).get('messages');
  if (list === undefined) return [];
  const message = JSON.stringify({ role: 'system', content: text });
  const items = isArray(bytes, list) ? (list.children ?? []) : [];
  const next = items.find((item) => !isSystem(roleOf(bytes, item)));
  const last = items.at(-1);
  if (next !== undefined) return [{ start: next.start, end: next.start, by: `${message},` }];
  if (last !== undefined) return [{ start: last.end, end: last.end, by: `,${message}` }];
  return [{ start: list.start, end: list.end, by: `[${message}]` }];
}

function isSystem(role: unknown): boolean {
  return role === 'system' || role === 'developer';
}

function roleOf(bytes: Buffer, item: JsonNode): unknown {
  const role = membersByKey(bytes, item).get('role');
  return role === undefined || role.end - role.start > MAX_FIELD_BYTES ? undefined : parseNode(bytes, role);
}

function lastUserContent(bytes: Buffer, root: JsonNode): JsonNode | undefined {
  const list = membersByKey(bytes, root).get('messages');
  if (list === undefined || !isArray(bytes, list)) return undefined;
  const item = list.children?.findLast((message) => roleOf(bytes, message) === 'user');
  return item === undefined ? undefined : membersByKey(bytes, item).get('content');
}
