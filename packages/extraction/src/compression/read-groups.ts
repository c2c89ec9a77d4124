import { normaliseKey } from '../content-hash.ts';
import { findJson } from '../reply/find-json.ts';
import { isArray, isObject, MAX_VALUE_CHARACTERS } from '../reply/read-items.ts';
import { visibleUnlessDisguised } from '../screening/disguises.ts';
import type { JsonArray, JsonNode, JsonObject } from '../reply/tolerant-json.ts';

/** A statement and the numbers of its source lines, as the model gave them. */
export type Group = Readonly<{
  text: string | null;
  key: string | null;
  value: string | null;
  category: string | null;
  from: readonly number[];
}>;

/**
 * A parsed reply of compression. `ok`: complete, even without groups; `truncated`: the whole groups before it
 * breaks off; `invalid`: nothing in the requested form.
 */
export type GroupsReply = Readonly<{
  status: 'ok' | 'truncated' | 'invalid';
  groups: readonly Group[];
  /** Numbers of the lines that are out of date. */
  archive: readonly number[];
}>;

const LISTS = ['facts', 'memories', 'merged', 'profile', 'statements'];
const TEXTS = ['text', 'content', 'fact', 'memory', 'statement'];
const MAX_GROUPS = 500;
const NOTHING = /^\W*(?:none|nothing|null|n\/a)\W*$/i;

/**
 * Reads `{"memories": [{"text": …, "from": [1, 2]}], "archive": [3]}`, with the list under any name that the
 * templates use, or the bare list. As tolerant as the parser of extraction replies: fences, prose, reasoning,
 * missing commas. Never throws.
 */
export function readGroups(raw: string): GroupsReply {
  const { values, prose, complete } = findJson(raw);
  const envelope = values.findLast(
    (value) => isObject(value) && (groupList(value) !== null || value.entries.has('archive')),
  );
  const list =
    envelope === undefined
      ? values.findLast((value) => isArray(value))
      : isObject(envelope)
        ? groupList(envelope)
        : null;
  if (envelope === undefined && list === undefined) {
    if (values.length === 0 && complete && NOTHING.test(prose))
      return { status: 'ok', groups: [], archive: [] };
    return { status: complete ? 'invalid' : 'truncated', groups: [], archive: [] };
  }
  const items = isArray(list ?? undefined) ? (list as JsonArray).items : [];
  const groups = items.flatMap((item) => groupOf(item) ?? []).slice(0, MAX_GROUPS);
  const archive =
    envelope !== undefined && isObject(envelope) ? numbersOf(envelope.entries.get('archive')) : [];
  const readable = items.length === 0 || groups.length > 0 || archive.length > 0;
  return { status: !complete ? 'truncated' : readable ? 'ok' : 'invalid', groups, archive };
}

function groupList(node: JsonObject): JsonArray | null {
  for (const name of LISTS) {
    const value = node.entries.get(name);
    if (isArray(value)) return value;
  }
  return null;
}

function groupOf(node: JsonNode): Group | null {
  if (!isObject(node) || !node.complete) return null;
  const text = (name: string): string | null => scalarOf(node.entries.get(name));
  const category = text('category');
  return {
    text: TEXTS.map(text).find((found) => found !== null) ?? null,
    key: text('key'),
    value: text('value'),
    category: category === null ? null : normaliseKey(category) || null,
    from: numbersOf(node.entries.get('from') ?? node.entries.get('ids') ?? node.entries.get('sources')),
  };
}

function scalarOf(node: JsonNode | undefined): string | null {
  if (typeof node !== 'string' || node.length > MAX_VALUE_CHARACTERS) return null;
  const text = visibleUnlessDisguised(node)
    .replaceAll('\u0000', '')
    .toWellFormed()
    .replaceAll(/\s+/g, ' ')
    .trim();
  return text === '' ? null : text;
}

/** Line numbers; `3`, `"3"` and `"#3"` are the same. An incomplete list or a list with anything else is empty. */
function numbersOf(node: JsonNode | undefined): number[] {
  const items = isArray(node) ? (node.complete ? node.items : []) : node === undefined ? [] : [node];
  const numbers = items.map((item) =>
    typeof item === 'string' && /^#?\d{1,4}$/.test(item.trim()) ? Number(item.trim().replace('#', '')) : null,
  );
  return numbers.includes(null) ? [] : numbers.filter((number) => number !== null);
}
