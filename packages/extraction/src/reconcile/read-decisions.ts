import { findJson } from '../reply/find-json.ts';
import { isArray, isObject } from '../reply/read-items.ts';
import type { JsonArray, JsonNode, JsonObject } from '../reply/tolerant-json.ts';
import { visibleUnlessDisguised } from '../screening/disguises.ts';
import { toStorableText } from '../storable-text.ts';
import { type MergeRefusal, refusalOfMerge } from './check-merge.ts';
import type { Shown } from './reconcile-question.ts';

/** One decision of a model. `candidate` and `memory` are indexes into what the prompt showed. */
export type Decision =
  | { event: 'ADD' | 'NONE'; candidate: number }
  | { event: 'UPDATE'; memory: number; text: string }
  | { event: 'DELETE' | 'KEEP'; memory: number };

/** Faults of a reply: stable words, never text of the reply. */
export type DecisionFault =
  | 'not_a_list'
  | 'cut_off'
  | 'unknown_event'
  | 'unknown_id'
  | 'wrong_id_for_event'
  | 'repeated_id'
  | 'missing_text'
  | 'text_too_long'
  | MergeRefusal;

const FORM_FAULTS: ReadonlySet<DecisionFault> = new Set([
  'not_a_list',
  'cut_off',
  'unknown_event',
  'unknown_id',
  'wrong_id_for_event',
  'repeated_id',
  'missing_text',
  'text_too_long',
]);

/** Whether a fault is in the content of a text, not in the form of the reply. */
export function isTextRefusal(fault: DecisionFault): boolean {
  return !FORM_FAULTS.has(fault);
}

export type ReadDecisions =
  { valid: true; decisions: Decision[] } | { valid: false; faults: DecisionFault[] };

/** A longer merged text is more than one memory. */
const MAX_MERGED_CHARACTERS = 1_000;

const EVENTS: ReadonlySet<string> = new Set(['ADD', 'UPDATE', 'DELETE', 'NONE']);

/**
 * Reads a list of `{event, id, text}` and checks all of it: known events, ids from the prompt, each at most once
 * and of the right kind (new facts are added or not; memories are updated, deleted or left), and merged texts
 * without content beyond the memory and its similar new facts. One fault invalidates the whole reply. Never throws.
 *
 * @param textsOf all texts that an update of this memory may use, its own first; null when they are no longer known
 */
export function readDecisions(
  raw: string,
  shown: Shown,
  textsOf: (memory: number) => readonly string[] | null,
): ReadDecisions {
  const { values, complete } = findJson(raw);
  if (!complete) return { valid: false, faults: ['cut_off'] };
  const items = decisionList(values);
  if (items === null) return { valid: false, faults: ['not_a_list'] };
  const faults = new Set<DecisionFault>();
  const seen = new Set<string>();
  const decisions: Decision[] = [];
  for (const item of items) {
    const read = readDecision(item, shown, textsOf);
    if (typeof read === 'string') {
      faults.add(read);
      continue;
    }
    const id = 'memory' in read ? `M${read.memory}` : `N${read.candidate}`;
    if (seen.has(id)) faults.add('repeated_id');
    seen.add(id);
    decisions.push(read);
  }
  return faults.size === 0 ? { valid: true, decisions } : { valid: false, faults: [...faults] };
}

/** The last list in the reply, bare or as the only field of an object; a single decision counts as a list. */
function decisionList(values: readonly (JsonObject | JsonArray)[]): readonly JsonNode[] | null {
  const last = values.at(-1);
  if (last === undefined) return null;
  if (isArray(last)) return last.items;
  if (last.entries.has('event')) return values;
  const lists = [...last.entries.values()].filter((node) => isArray(node));
  return lists.length === 1 ? (lists[0]?.items ?? null) : null;
}

function readDecision(
  node: JsonNode,
  shown: Shown,
  textsOf: (memory: number) => readonly string[] | null,
): Decision | DecisionFault {
  if (!isObject(node)) return 'not_a_list';
  const event = scalar(node, 'event').toUpperCase();
  if (!EVENTS.has(event)) return 'unknown_event';
  const id = /^([NM])([1-9]\d{0,3})$/.exec(scalar(node, 'id').toUpperCase());
  if (id === null) return 'unknown_id';
  const place = Number(id[2]) - 1;
  const isCandidate = id[1] === 'N';
  if (place >= (isCandidate ? shown.candidates : shown.memories).length) return 'unknown_id';
  if (isCandidate) {
    return event === 'ADD' || event === 'NONE' ? { event, candidate: place } : 'wrong_id_for_event';
  }
  if (event === 'NONE') return { event: 'KEEP', memory: place };
  if (event === 'DELETE') return { event, memory: place };
  if (event === 'ADD') return 'wrong_id_for_event';
  const text = toStorableText(visibleUnlessDisguised(scalar(node, 'text'))).replaceAll(/\s+/g, ' ');
  if (text === '') return 'missing_text';
  if (text.length > MAX_MERGED_CHARACTERS) return 'text_too_long';
  const sources = textsOf(place);
  const [own, ...news] = sources ?? [];
  const refusal = own === undefined ? null : refusalOfMerge(text, own, news);
  return refusal ?? { event: 'UPDATE', memory: place, text };
}

function scalar(node: JsonObject, name: string): string {
  const value = node.entries.get(name);
  return typeof value === 'string' ? value.trim() : value === null && name === 'event' ? 'NONE' : '';
}
