import { toStorableText } from '../storable-text.ts';
import type { CandidateKind, RawCandidate } from '../types.ts';
import type { JsonArray, JsonNode, JsonObject } from './tolerant-json.ts';

/** Longer strings are refused: no single fact is this long. */
export const MAX_VALUE_CHARACTERS = 8_000;
const MAX_KEY_CHARACTERS = 200;
const MAX_TAGS = 20;
const MAX_MESSAGE_IDS = 100;

/** Collects items and the reasons for refused ones. */
export type ItemSink = { accept(item: RawCandidate): void; reject(reason: string): void };

/** Names that models use for a fact's key beside a `value`. */
const KEY_FIELDS = ['key', 'name', 'attribute', 'field', 'property'];
/** Fields that describe an item and are no facts themselves. */
const DESCRIBING = new Set(
  'category type kind source source_context confidence importance tier tags message_id message_ids valid_from project topic id'.split(
    ' ',
  ),
);
const CONTENT_FIELDS = ['content', 'fact', 'memory', 'text', 'statement', 'summary'];

/** A scalar's text; null when absent, null, empty or not a scalar. */
function scalarText(node: JsonNode | undefined): string | null {
  if (typeof node !== 'string') return null;
  const text = toStorableText(node);
  return text === '' ? null : text;
}

/** A list of scalars, or one scalar, as texts. */
function scalarTexts(node: JsonNode | undefined, limit: number): string[] {
  const nodes = isArray(node) ? node.items : [node];
  return nodes
    .map((item) => scalarText(item))
    .filter((text) => text !== null)
    .slice(0, limit);
}

export function isObject(node: JsonNode | undefined): node is JsonObject {
  return typeof node === 'object' && node !== null && node.type === 'object';
}

export function isArray(node: JsonNode | undefined): node is JsonArray {
  return typeof node === 'object' && node !== null && node.type === 'array';
}

function emptyItem(kind: CandidateKind): RawCandidate {
  return {
    kind,
    category: null,
    key: null,
    value: null,
    content: null,
    question: null,
    answer: null,
    source: null,
    sourceContext: null,
    confidence: null,
    importance: null,
    tier: null,
    tags: [],
    messageIds: [],
    validFrom: null,
    project: null,
    topic: null,
  };
}

/** Refuses oversized texts; every accepted item passes through here. */
function acceptSized(item: RawCandidate, sink: ItemSink): void {
  const texts = [item.value, item.content, item.question, item.answer, item.sourceContext];
  const names = [
    item.key,
    item.category,
    item.source,
    item.validFrom,
    item.project,
    item.topic,
    ...item.tags,
    ...item.messageIds,
  ];
  const tooLong =
    texts.some((text) => text !== null && text.length > MAX_VALUE_CHARACTERS) ||
    names.some((text) => text !== null && text.length > MAX_KEY_CHARACTERS);
  if (tooLong) sink.reject('too_long');
  else sink.accept(item);
}

/** The text of a value: a scalar, or a list of scalars joined by commas. */
function valueOf(node: JsonNode | undefined): string | null {
  if (!isArray(node)) return scalarText(node);
  if (!node.complete || node.items.some((item) => typeof item === 'object' && item !== null)) return null;
  return scalarText(scalarTexts(node, MAX_TAGS).join(', '));
}

/** One `key: value` of a map of facts. */
export function readKeyedValue(key: string, node: JsonNode, sink: ItemSink): void {
  const name = scalarText(key);
  const value = valueOf(node);
  if (isNested(node)) sink.reject('nested_value');
  else if (name === null || value === null) sink.reject('empty_value');
  else acceptSized({ ...emptyItem('fact'), key: name, value }, sink);
}

/** Whether a value contains more than scalars. */
function isNested(node: JsonNode | undefined): boolean {
  if (typeof node !== 'object' || node === null) return false;
  return !isArray(node) || node.items.some((item) => typeof item === 'object' && item !== null);
}

/** The first of the named fields that has text. */
function firstText(entries: ReadonlyMap<string, JsonNode>, names: readonly string[]): string | null {
  for (const name of names) {
    const text = valueOf(entries.get(name));
    if (text !== null) return text;
  }
  return null;
}

/** An object's fields by lower-case name, for objects with field names of ours and not the user's. */
export function fieldsOf(node: JsonObject): ReadonlyMap<string, JsonNode> {
  const names = [...node.entries.keys()];
  if (names.every((name) => name === name.toLowerCase())) return node.entries;
  return new Map([...node.entries].map(([name, value]) => [name.toLowerCase(), value]));
}

/** Whether an object has the shape of an item, not of a whole reply. */
export function looksLikeItem(node: JsonObject): boolean {
  const fields = fieldsOf(node);
  const has = (name: string): boolean => fields.has(name);
  return (
    (has('value') && KEY_FIELDS.some(has)) ||
    (has('q') && has('a')) ||
    (has('question') && has('answer')) ||
    CONTENT_FIELDS.some(has)
  );
}

/**
 * Reads one item: an object in any known shape (`{key, value}`, `{q, a}`, `{content}` and their longer forms), or a
 * plain string. `kind` is the default for an item without a kind.
 */
export function readItem(node: JsonNode, kind: CandidateKind, sink: ItemSink): void {
  if (typeof node === 'string') {
    const content = scalarText(node);
    if (content === null) sink.reject('empty_value');
    else acceptSized({ ...emptyItem(kind === 'event' ? 'event' : 'note'), content }, sink);
    return;
  }
  if (!isObject(node)) {
    sink.reject('wrong_type');
    return;
  }
  if (!node.complete) {
    sink.reject('incomplete');
    return;
  }
  const entries = fieldsOf(node);
  if (kind === 'fact' && isMap(entries)) {
    for (const [name, entry] of node.entries) {
      if (!DESCRIBING.has(name.toLowerCase())) readKeyedValue(name, entry, sink);
    }
    return;
  }
  const given = valueOf(entries.get('value'));
  const key = given === null ? scalarText(entries.get('key')) : firstText(entries, KEY_FIELDS);
  const question = firstText(entries, ['q', 'question']);
  const answer = firstText(entries, ['a', 'answer']);
  const named = firstText(entries, CONTENT_FIELDS);
  // In `{key, fact: "Lisbon"}` the fact is the value; in `{key, fact: "The user lives in Lisbon."}` it is the whole
  // statement.
  const value = given ?? (key !== null && named !== null && !isStatement(named) ? named : null);
  const content = named !== null && (given !== null || value === null) ? named : key === null ? given : null;
  const item: RawCandidate = {
    ...emptyItem(kind),
    category: scalarText(entries.get('category')),
    content,
    source: scalarText(entries.get('source')),
    sourceContext: scalarText(entries.get('source_context')),
    confidence: scalarText(entries.get('confidence')),
    importance: scalarText(entries.get('importance')),
    tier: scalarText(entries.get('tier')),
    tags: scalarTexts(entries.get('tags'), MAX_TAGS),
    messageIds: [
      ...scalarTexts(entries.get('message_id'), 1),
      ...scalarTexts(entries.get('message_ids'), MAX_MESSAGE_IDS),
    ],
    validFrom: scalarText(entries.get('valid_from')),
    project: scalarText(entries.get('project')),
    topic: scalarText(entries.get('topic')),
  };
  const stated = scalarText(entries.get('kind'));
  if (question !== null && answer !== null) acceptSized({ ...item, kind: 'qa', question, answer }, sink);
  else if (key !== null && value !== null) acceptSized({ ...item, kind: 'fact', key, value }, sink);
  else if (content !== null)
    acceptSized({ ...item, kind: stated === 'event' || kind === 'event' ? 'event' : 'note' }, sink);
  else sink.reject(hasContainerValue(entries) ? 'nested_value' : 'empty_value');
}

/** Whether an object in a list of facts is a map of facts: none of its names is a field of items. */
function isMap(entries: ReadonlyMap<string, JsonNode>): boolean {
  const names = [...entries.keys()].filter((name) => !DESCRIBING.has(name));
  const isItem = ['key', 'value', 'q', 'a', 'question', 'answer', ...CONTENT_FIELDS].some((name) =>
    entries.has(name),
  );
  return !isItem && names.length > 0;
}

/** Whether a text is a full statement and not just a value. */
function isStatement(text: string): boolean {
  return /^\S+\s+\S+\s+\S+\s+\S/.test(text) || /[.!]$/.test(text);
}

function hasContainerValue(entries: ReadonlyMap<string, JsonNode>): boolean {
  return ['value', 'a', 'answer', ...CONTENT_FIELDS].some((name) => {
    const node = entries.get(name);
    return isNested(node);
  });
}
