import { stripInvisible } from '@factmill/contracts';
import { attribute, indexMessages } from './attribution.ts';
import { contentHash, normaliseKey, normaliseText } from './content-hash.ts';
import { factSentence } from './fact-sentence.ts';
import { originOf } from './origin.ts';
import type { Preset } from './presets/preset.ts';
import { collectEvidence, type Evidence } from './screening/evidence.ts';
import { visibleUnlessDisguised } from './screening/disguises.ts';
import { subjectOf } from './subject.ts';
import { textWidth } from './text-width.ts';
import { screenItem } from './screening/screen-item.ts';
import type {
  Candidate,
  CandidateKind,
  ParsedReply,
  RawCandidate,
  Rejection,
  Tier,
  TranscriptMessage,
} from './types.ts';

/** No user states more in one message; a message with more is data, or an attack. */
const MAX_PER_MESSAGE = 50;

const DEFAULT_CATEGORY = 'general';
const DEFAULT_SOURCE = 'conversation';
const MAX_CATEGORY_CHARACTERS = 64;
/** The limit of the API. */
const MAX_PROJECT_CHARACTERS = 256;
const MAX_TOPIC_CHARACTERS = 128;

/** Default confidence (0..100) by the source of a statement, for replies that give none. */
const CONFIDENCE_BY_SOURCE: ReadonlyMap<string, number> = new Map([
  ['tool_call', 95],
  ['auto_discovery', 95],
  ['user_explicit', 90],
]);
const DEFAULT_CONFIDENCE = 70;

const IMPORTANCE_BY_KIND: Readonly<Record<CandidateKind, number>> = {
  fact: 0.7,
  qa: 0.5,
  note: 0.5,
  event: 0.4,
};

/** Whole texts that are a model's filler, not facts. */
const FILLER = /^(?:none|nothing|n\/a|unknown|not (?:specified|stated|mentioned|provided|known))$/;
/** No facts when they stand alone, though `has_children: no` is one. */
const BARE_ANSWER = /^(?:yes|no)$/;

type Built = { ok: true; candidate: Candidate } | { ok: false; reason: string };

/** A number as written; `0.9` for a confidence means 90. NaN when it is not a number. */
function toPercent(text: string): number {
  const number = Number(text.replace(/%$/, ''));
  return number > 0 && number <= 1 && text.includes('.') ? number * 100 : number;
}

function confidenceOf(item: RawCandidate, source: string, fallback: number): number {
  const given = item.confidence === null ? Number.NaN : toPercent(item.confidence);
  const value = Number.isFinite(given) ? given : (CONFIDENCE_BY_SOURCE.get(source) ?? fallback);
  return Math.round(Math.min(100, Math.max(0, value)));
}

function importanceOf(item: RawCandidate): number {
  const given = item.importance === null ? Number.NaN : Number(item.importance);
  if (!Number.isFinite(given)) return IMPORTANCE_BY_KIND[item.kind];
  // A model that was asked for 0.1 to 1 may answer with 8 (of ten) or 80 (of a hundred).
  const scale = given <= 1 ? 1 : given <= 10 ? 10 : 100;
  return Math.min(1, Math.max(0, given / scale));
}

function tierOf(item: RawCandidate): Tier {
  if (item.tier === '1') return 1;
  if (item.tier === '3' || (item.tier === null && item.kind === 'event')) return 3;
  return 2;
}

function categoryOf(item: RawCandidate): string {
  const category = item.category === null ? '' : normaliseKey(item.category);
  return category === '' || category.length > MAX_CATEGORY_CHARACTERS ? DEFAULT_CATEGORY : category;
}

/** A label on one line; undefined when there is none, or none that can be stored. */
function labelOf<N extends 'project' | 'topic'>(
  name: N,
  text: string | null,
  limit: number,
): Partial<Record<N, string>> {
  const label = text?.replaceAll(/[\s\p{Cc}]+/gu, ' ').trim() ?? '';
  if (label === '' || label.length > limit || FILLER.test(label.toLowerCase())) return {};
  return { [name]: label } as Record<N, string>;
}

/**
 * The date in `text` (ISO 8601, date or date and time, read as UTC); undefined when the calendar has no such date.
 */
function dateOf(text: string | null): Date | undefined {
  if (text === null || !/^\d{4}-\d\d-\d\d(?:T[\d:.]+Z?)?$/.test(text)) return undefined;
  const date = new Date(/[TZ]/.test(text) && !text.endsWith('Z') ? `${text}Z` : text);
  // Postgres knows no year 0.
  return Number.isNaN(date.getTime()) || date.getUTCFullYear() < 1 ? undefined : date;
}

function contentOf(item: RawCandidate, key: string | null): string {
  if (item.content !== null) return item.content;
  if (item.question !== null && item.answer !== null) return `Q: ${item.question}\nA: ${item.answer}`;
  return key === null ? (item.value ?? '') : factSentence(key, item.value ?? '');
}

/** Why an item is not stored, or null. */
function refusalOf(item: RawCandidate, content: string, preset: Preset): string | null {
  if (content === '') return 'empty_value';
  if (content.length > preset.maxContentCharacters) return 'too_long';
  const stated = normaliseText(item.answer ?? item.value ?? content);
  if (FILLER.test(stated)) return 'not_a_fact';
  const free = item.kind === 'note' || item.kind === 'event';
  if (free && (/[?？]$/.test(content) || BARE_ANSWER.test(stated))) return 'not_a_fact';
  return free && textWidth(content) < preset.minNoteCharacters ? 'too_short' : null;
}

function latestOf(messages: readonly TranscriptMessage[]): Date | undefined {
  return messages
    .map((message) => message.createdAt)
    .reduce<Date | undefined>((a, b) => (a === undefined || b > a ? b : a), undefined);
}

function build(
  item: RawCandidate,
  context: { from: TranscriptMessage[]; evidence: Evidence; preset: Preset; now: Date; timeZone: string },
): Built {
  const key = item.kind === 'fact' && item.key !== null ? normaliseKey(item.key) : null;
  if (key === '') return { ok: false, reason: 'empty_key' };
  const content = contentOf(item, key);
  const refusal = refusalOf(item, content, context.preset);
  if (refusal !== null) return { ok: false, reason: refusal };
  const screening = screenItem(item, context.evidence, context.preset);
  if (screening.refusal !== null) return { ok: false, reason: screening.refusal };
  const isGuess = screening.unsupported && item.source === null;
  const source = item.source === null ? DEFAULT_SOURCE : normaliseKey(item.source) || DEFAULT_SOURCE;
  const validFrom = dateOf(item.validFrom);
  const statedAt = latestOf(context.from) ?? context.now;
  const candidate: Candidate = {
    kind: item.kind,
    tier: tierOf(item),
    category: categoryOf(item),
    key,
    value: key === null ? null : item.value,
    content,
    question: item.question,
    answer: item.answer,
    tags: [...new Set(item.tags)],
    importance: importanceOf(item),
    confidence: confidenceOf(
      item,
      source,
      isGuess ? context.preset.unsupportedConfidence : DEFAULT_CONFIDENCE,
    ),
    source,
    sourceContext: item.sourceContext,
    messageIds: context.from.map((message) => message.id),
    statedAt,
    origin: originOf(context.from, { kind: item.kind, statedAt, timeZone: context.timeZone }),
    ...(validFrom === undefined ? {} : { validFrom }),
    ...labelOf('project', item.project, MAX_PROJECT_CHARACTERS),
    ...labelOf('topic', item.topic, MAX_TOPIC_CHARACTERS),
  };
  return { ok: true, candidate };
}

const STATING: ReadonlySet<string> = new Set(['key', 'value', 'content', 'question', 'answer']);

/** An item without invisible characters; disguised statements stay, so that they are refused. */
function visible(item: RawCandidate): RawCandidate {
  const seen = Object.entries(item).map(([field, value]) => [
    field,
    typeof value === 'string'
      ? (STATING.has(field) ? visibleUnlessDisguised : stripInvisible)(value)
      : field === 'tags'
        ? item.tags.map((tag) => stripInvisible(tag)).filter((tag) => tag.trim() !== '')
        : value,
  ]);
  return Object.fromEntries(seen) as RawCandidate;
}

/** Two items of one reply with this same string count as one. */
function identityOf(candidate: Candidate): string {
  if (candidate.kind === 'fact' && candidate.key !== null) {
    return JSON.stringify([candidate.category, candidate.key, normaliseText(candidate.value ?? '')]);
  }
  return contentHash(candidate.content);
}

/**
 * A statement that is made again is as new as the last time. It holds since the first time, unless another statement
 * about its subject was made in between.
 */
function saidAgain(first: Candidate, again: Candidate, hasChanged: boolean): Candidate {
  const since = again.statedAt > first.statedAt ? { validFrom: first.validFrom ?? first.statedAt } : {};
  return {
    ...(hasChanged ? again : { ...first, ...since }),
    messageIds: [...new Set([...first.messageIds, ...again.messageIds])],
    statedAt: again.statedAt,
  };
}

/**
 * Turns a parsed reply into candidates: readable content without invisible characters, defaults, and the messages that
 * each comes from. Refuses items that are no facts, empty, too short, too long, repeated (the one that is kept counts as
 * stated the last time), beyond 50 per message, or that `screenItem` refuses. `timeZone` dates events. `rejected` counts
 * what was refused here and while parsing.
 */
export function toCandidates(
  parsed: ParsedReply,
  input: { messages: readonly TranscriptMessage[]; preset: Preset; now: Date; timeZone: string },
): { candidates: Candidate[]; rejected: Rejection[] } {
  const indexed = indexMessages(input.messages, input.preset.transcript);
  const evidence = collectEvidence(input.messages, input.preset);
  const counts = new Map(parsed.rejected.map(({ reason, count }) => [reason, count]));
  const candidates = new Map<string, Candidate>();
  /** The identity of the last item about each subject. */
  const lastOf = new Map<string, string>();
  const reject = (reason: string): void => void counts.set(reason, (counts.get(reason) ?? 0) + 1);
  const perMessage = new Map<string, number>();
  for (const written of parsed.candidates) {
    const item = visible(written);
    const built = build(item, {
      from: attribute(item, indexed),
      evidence,
      preset: input.preset,
      now: input.now,
      timeZone: input.timeZone,
    });
    if (!built.ok) {
      reject(built.reason);
      continue;
    }
    const identity = identityOf(built.candidate);
    const { messageIds } = built.candidate;
    const isFull = (id: string): boolean => (perMessage.get(id) ?? 0) >= MAX_PER_MESSAGE;
    const subject = subjectOf(built.candidate) ?? identity;
    const first = candidates.get(identity);
    if (first !== undefined) {
      reject('repeated');
      if (built.candidate.statedAt < first.statedAt) continue;
      const hasChanged = lastOf.get(subject) !== identity;
      // The last statement about a subject comes last: those of one request have the same time.
      if (hasChanged) candidates.delete(identity);
      candidates.set(identity, saidAgain(first, built.candidate, hasChanged));
    } else if (messageIds.length > 0 && messageIds.every(isFull)) reject('too_many');
    else {
      candidates.set(identity, built.candidate);
      for (const id of messageIds) perMessage.set(id, (perMessage.get(id) ?? 0) + 1);
    }
    lastOf.set(subject, identity);
  }
  return {
    candidates: [...candidates.values()],
    rejected: [...counts].map(([reason, count]) => ({ reason, count })),
  };
}
