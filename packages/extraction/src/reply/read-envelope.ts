import {
  fieldsOf,
  isArray,
  isObject,
  type ItemSink,
  looksLikeItem,
  readItem,
  readKeyedValue,
} from './read-items.ts';
import { isNothing } from './read-line.ts';
import type { JsonArray, JsonNode, JsonObject } from './tolerant-json.ts';

/** The parts of a whole reply. */
const ENVELOPE_FIELDS = ['facts', 'context', 'memories', 'event', 'events', 'event_summary'];

function isEnvelope(node: JsonNode): node is JsonObject {
  if (!isObject(node)) return false;
  const fields = fieldsOf(node);
  return ENVELOPE_FIELDS.some((field) => fields.has(field)) && !(looksLikeItem(node) && !fields.has('facts'));
}

/** Reads a section of the reply: nothing, a list of items, a map, or one item. */
function readSection(node: JsonNode | undefined, name: string, sink: ItemSink): void {
  const kind = name.startsWith('event') ? 'event' : name === 'context' ? 'qa' : 'fact';
  if (node === undefined || node === null) return;
  if (typeof node === 'string') {
    if (isNothing(node) || node.trim() === '') return;
    if (kind === 'event') readItem(node, kind, sink);
    else sink.reject('wrong_type');
  } else if (isArray(node)) {
    for (const item of node.items) readItem(item, kind, sink);
  } else if (!isObject(node)) {
    sink.reject('nested_value');
  } else if (kind !== 'fact' || (fieldsOf(node).has('key') && fieldsOf(node).has('value'))) {
    if (node.entries.size > 0) readItem(node, kind, sink);
  } else {
    for (const [key, value] of node.entries) {
      // A truncated container is dropped; a scalar is complete.
      if (isArray(value) && !value.complete) sink.reject('incomplete');
      else readKeyedValue(key, value, sink);
    }
  }
}

function readSections(fields: ReadonlyMap<string, JsonNode>, sink: ItemSink): void {
  for (const field of ENVELOPE_FIELDS) readSection(fields.get(field), field, sink);
}

/** Whether an envelope has any content. */
function holdsSomething(envelope: JsonObject): boolean {
  const fields = fieldsOf(envelope);
  return ENVELOPE_FIELDS.some((field) => {
    const node = fields.get(field);
    if (node === undefined || node === null) return false;
    if (typeof node === 'string') return node.trim() !== '' && !isNothing(node);
    if (isArray(node)) return node.items.length > 0 || !node.complete;
    return !isObject(node) || node.entries.size > 0 || !node.complete;
  });
}

/**
 * The sections of the last envelope, and those of earlier envelopes that share none with it: models write drafts
 * before the answer, but they also put facts in one block and context in the next.
 */
function mergeEnvelopes(envelopes: readonly JsonObject[]): Map<string, JsonNode> {
  const merged = new Map<string, JsonNode>();
  for (const envelope of envelopes.toReversed()) {
    const sections = [...fieldsOf(envelope)].filter(([field]) => ENVELOPE_FIELDS.includes(field));
    if (sections.some(([field]) => merged.has(field))) break;
    for (const [field, node] of sections) merged.set(field, node);
  }
  return merged;
}

function isSentence(node: JsonNode): boolean {
  return typeof node === 'string' && node.trim().includes(' ');
}

/** `alone`: without text around it, so that a list of single words is an answer and not prose in brackets. */
function isItemList(node: JsonObject | JsonArray, alone: boolean): node is JsonArray {
  return (
    isArray(node) && node.items.some((item) => isObject(item) || isSentence(item) || (alone && isText(item)))
  );
}

function isEmpty(node: JsonObject | JsonArray): boolean {
  return node.complete && (isArray(node) ? node.items.length === 0 : node.entries.size === 0);
}

function isText(node: JsonNode): boolean {
  return typeof node === 'string' && /\p{L}/u.test(node);
}

/**
 * Reads the values of a reply: the last reply object with content; else the last list of items; else single items,
 * which may stand one per line. Without any, an explicit "nothing": a reply object with empty sections, or an empty
 * value that is `alone`. Returns false when nothing has a known shape.
 */
export function readValues(
  values: readonly (JsonObject | JsonArray)[],
  alone: boolean,
  sink: ItemSink,
): boolean {
  const envelopes = values.filter((value) => isEnvelope(value));
  const full = envelopes.filter((envelope) => holdsSomething(envelope));
  if (full.length > 0) {
    readSections(mergeEnvelopes(full), sink);
    return true;
  }
  const list = values.findLast((value) => isItemList(value, alone));
  if (list !== undefined && isArray(list)) {
    for (const item of list.items) {
      if (isEnvelope(item)) readSections(fieldsOf(item), sink);
      else readItem(item, 'fact', sink);
    }
    return true;
  }
  const items = values.filter((value) => isObject(value) && looksLikeItem(value));
  for (const item of items) readItem(item, 'fact', sink);
  if (items.length > 0 || envelopes.length > 0) return true;
  return alone && values.length > 0 && values.every((value) => isEmpty(value));
}

/** The first value of a known shape inside a wrapper without one: `{"result": {"facts": …}}`. */
export function unwrap(values: readonly (JsonObject | JsonArray)[]): (JsonObject | JsonArray)[] {
  return values
    .filter((value) => isObject(value))
    .flatMap((value) => [...value.entries.values()])
    .filter((inner) => isObject(inner) || isArray(inner))
    .filter(
      (inner) =>
        isEnvelope(inner) ||
        (isArray(inner) && inner.items.some((item) => isObject(item) && looksLikeItem(item))),
    );
}

/** The strings in a wrapper that may contain JSON. */
export function textsThatMayBeJson(values: readonly (JsonObject | JsonArray)[]): string[] {
  return values
    .filter((value) => isObject(value))
    .flatMap((value) => [...value.entries.values()])
    .filter((inner) => typeof inner === 'string')
    .filter((text) => /^\s*[{[]/.test(text));
}
