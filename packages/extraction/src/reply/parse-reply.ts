import type { ParsedReply, RawCandidate, Rejection } from '../types.ts';
import { findJson } from './find-json.ts';
import {
  isArray,
  isObject,
  looksLikeItem,
  MAX_VALUE_CHARACTERS,
  readItem,
  readKeyedValue,
  type ItemSink,
} from './read-items.ts';
import type { JsonArray, JsonNode, JsonObject } from './tolerant-json.ts';

/** A reply with more items than this is a runaway; the rest is refused and counted. */
const MAX_ITEMS = 500;
const MIN_LINE_CHARACTERS = 10;
const ENVELOPE_FIELDS = ['facts', 'context', 'memories', 'event', 'events'];
const NOTHING = /^(?:none|nothing|null|n\/a|no (?:new )?(?:facts|memories))$/i;

type Collector = ItemSink & { items: RawCandidate[]; rejections(): Rejection[] };

function createCollector(): Collector {
  const items: RawCandidate[] = [];
  const counts = new Map<string, number>();
  const reject = (reason: string): void => void counts.set(reason, (counts.get(reason) ?? 0) + 1);
  return {
    items,
    reject,
    accept: (item) => void (items.length < MAX_ITEMS ? items.push(item) : reject('too_many')),
    rejections: () => [...counts].map(([reason, count]) => ({ reason, count })),
  };
}

/** What a section of the reply holds: nothing, a list of items, a map, or one item. */
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
  } else if (kind !== 'fact' || (node.entries.has('key') && node.entries.has('value'))) {
    if (node.entries.size > 0) readItem(node, kind, sink);
  } else {
    for (const [key, value] of node.entries) {
      // A value that breaks off is not known; a scalar that is there is whole.
      if (isArray(value) && !value.complete) sink.reject('incomplete');
      else readKeyedValue(key, value, sink);
    }
  }
}

function isEnvelope(node: JsonNode): node is JsonObject {
  return (
    isObject(node) &&
    ENVELOPE_FIELDS.some((field) => node.entries.has(field)) &&
    !(looksLikeItem(node) && !node.entries.has('facts'))
  );
}

function readEnvelope(node: JsonObject, sink: ItemSink): void {
  for (const field of ENVELOPE_FIELDS) readSection(node.entries.get(field), field, sink);
}

function isItemList(node: JsonObject | JsonArray): boolean {
  return (
    isArray(node) &&
    (node.items.length === 0 || node.items.some((item) => isObject(item) || isSentence(item)))
  );
}

function isSentence(node: JsonNode): boolean {
  return typeof node === 'string' && node.trim().includes(' ');
}

/**
 * Reads the values of a reply. The last whole reply object wins (models draft before they answer); without
 * one, the last list of items; without that, single items, which may stand one per line.
 * Returns false when nothing has a known shape.
 */
function readValues(values: readonly (JsonObject | JsonArray)[], sink: ItemSink): boolean {
  const envelope = values.findLast((value) => isEnvelope(value));
  if (envelope !== undefined && isObject(envelope)) {
    readEnvelope(envelope, sink);
    return true;
  }
  const list = values.findLast((value) => isItemList(value));
  if (list !== undefined && isArray(list)) {
    for (const item of list.items) {
      if (isEnvelope(item)) readEnvelope(item, sink);
      else readItem(item, 'fact', sink);
    }
    return true;
  }
  const items = values.filter((value) => isObject(value) && looksLikeItem(value));
  for (const item of items) readItem(item, 'fact', sink);
  return (
    items.length > 0 || values.some((value) => isObject(value) && value.complete && value.entries.size === 0)
  );
}

function isNothing(text: string): boolean {
  const bare = text.length > 40 ? '' : text.replaceAll(/["'`*.!\s]+/g, ' ').trim();
  return NOTHING.test(bare);
}

/** A reply of one plain line (or NOTHING), for the presets that ask for that. */
function readLine(prose: string, sink: Collector): ParsedReply['status'] {
  if (prose.includes('\n')) return 'invalid';
  if (/\bnothing\b/i.test(prose)) return 'empty';
  if (prose.length < MIN_LINE_CHARACTERS || prose.endsWith('?') || /^(?:yes|no)\b[.!]?$/i.test(prose)) {
    sink.reject('not_a_fact');
    return 'empty';
  }
  readItem(prose, 'note', sink);
  return sink.items.length > 0 ? 'ok' : 'invalid';
}

function statusOf(sink: Collector, complete: boolean, recognised: boolean): ParsedReply['status'] {
  if (!recognised) return complete ? 'invalid' : 'truncated';
  if (!complete) return 'truncated';
  if (sink.items.length > 0) return 'ok';
  return sink.rejections().every(({ reason }) => reason === 'empty_value') ? 'empty' : 'invalid';
}

/**
 * Reads a model's reply in any of the formats that are in use: `{facts, context}`, the same with full
 * items, a JSON array of items or sentences, items one per line, and, with `allowLine`, one plain line.
 * Forgives fences, prose, reasoning blocks, trailing commas and wrong scalar types. Never throws; takes
 * time in proportion to the length; every string in the result occurs in the reply.
 */
export function parseReply(raw: string, options: { allowLine?: boolean } = {}): ParsedReply {
  const { values, prose, complete } = findJson(raw);
  const sink = createCollector();
  let status: ParsedReply['status'];
  if (values.length > 0) {
    const recognised = readValues(values, sink);
    status = statusOf(sink, complete, recognised);
  } else if (!complete) {
    status = 'truncated';
  } else if (isNothing(prose)) {
    status = 'empty';
  } else {
    status =
      options.allowLine === true && prose.length <= MAX_VALUE_CHARACTERS && prose !== ''
        ? readLine(prose, sink)
        : 'invalid';
  }
  return { status, candidates: sink.items, rejected: sink.rejections() };
}
