import type { ParsedReply, RawCandidate, Rejection } from '../types.ts';
import { stripControlTokens } from './control-tokens.ts';
import { findJson, type FoundJson } from './find-json.ts';
import { readValues, textsThatMayBeJson, unwrap } from './read-envelope.ts';
import { type ItemSink, readItem } from './read-items.ts';
import { isNothing, readLine } from './read-line.ts';

/** A reply with more items is a runaway; further items are refused and counted. */
const MAX_ITEMS = 500;

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

/** One line that announces what follows: `Here is the JSON:`. */
const LEAD_IN = /^[^\n]{0,200}:$/;

/** Whether the JSON in a reply has a known shape, directly or inside one wrapper or string. Collects items. */
function readFound({ values, prose }: FoundJson, sink: ItemSink): boolean {
  const alone = prose === '' || isNothing(prose) || LEAD_IN.test(prose);
  if (readValues(values, alone, sink)) return true;
  const wrapped = unwrap(values);
  if (wrapped.length > 0) return readValues(wrapped, false, sink);
  const texts = textsThatMayBeJson(values).flatMap((text) => findJson(text).values);
  return texts.length > 0 && readValues(texts, false, sink);
}

/** The content of a reply that is one JSON string with JSON in it. */
function unquote(raw: string): string {
  const text = raw.trim();
  if (!text.startsWith('"') || !text.endsWith('"') || !/[{[]/.test(text)) return raw;
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'string' ? value : raw;
  } catch {
    return raw;
  }
}

function statusOfJson(sink: Collector, complete: boolean, recognised: boolean): ParsedReply['status'] {
  if (!recognised) return complete ? 'invalid' : 'truncated';
  if (!complete) return 'truncated';
  if (sink.items.length > 0) return 'ok';
  const reasons = new Set(sink.rejections().map(({ reason }) => reason));
  reasons.delete('empty_value');
  if (reasons.size === 0) return 'empty';
  // The reply was readable and its items are too long: asking again would bring the same.
  return reasons.size === 1 && reasons.has('too_long') ? 'ok' : 'invalid';
}

function statusOfLine(text: string, sink: Collector): ParsedReply['status'] {
  const read = readLine(text);
  if (read.line !== null) {
    readItem(read.line, 'note', sink);
    return sink.items.length > 0 ? 'ok' : 'invalid';
  }
  if (read.is === 'not_a_fact') sink.reject('not_a_fact');
  return read.is === 'invalid' || read.is === 'refusal' ? read.is : 'empty';
}

/**
 * Reads a model's reply in any known format: `{facts, context, event}` with facts as a map or as items, a JSON
 * array of items or sentences, items one per line, and, with `allowLine`, one plain line. Tolerates fences, prose,
 * reasoning blocks, comments, trailing commas, wrong scalar types, a wrapper around the reply, chat template
 * tokens, and JSON in a string. Of several JSON values it uses those with content; an empty one counts only when it
 * is the whole reply or its facts. Never throws; linear time; every string in the result occurs in the reply.
 */
export function parseReply(raw: string, options: { allowLine?: boolean } = {}): ParsedReply {
  const found = findJson(unquote(stripControlTokens(raw)));
  const sink = createCollector();
  const recognised = found.values.length > 0 && readFound(found, sink);
  const answer = (status: ParsedReply['status']): ParsedReply => ({
    status,
    candidates: sink.items,
    rejected: sink.rejections(),
  });
  if (recognised) return answer(statusOfJson(sink, found.complete, true));
  if (options.allowLine === true && found.text !== '') {
    const status = statusOfLine(found.text, sink);
    if (status !== 'invalid') return answer(status);
  }
  if (found.values.length > 0 || !found.complete) return answer(statusOfJson(sink, found.complete, false));
  return answer(isNothing(found.prose) ? 'empty' : 'invalid');
}
