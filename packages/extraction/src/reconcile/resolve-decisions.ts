import { contentHash } from '../content-hash.ts';
import { addsNoWords } from '../dedup/distinguishing-words.ts';
import type { CurrentMemory } from '../dedup/similar.ts';
import type { Candidate } from '../types.ts';
import { refusalOfMerge, sharedWords, tellsOf } from './check-merge.ts';
import type { Decision } from './read-decisions.ts';
import type { Shown } from './reconcile-question.ts';

/**
 * The result of a model's decisions, with candidates by index. A candidate in neither `merged` nor `known` is
 * added.
 */
export type Resolution = {
  /** `candidate` replaces `memory` and also states the candidates in `from`. */
  merged: { memory: CurrentMemory; candidate: Candidate; from: number[] }[];
  /** `by` contradicts `memory`, which ends. */
  ended: { memory: CurrentMemory; by: number }[];
  /** Candidate → memory that already states it. */
  known: Map<number, string>;
};

/** From this share of common words on, two statements have the same subject. */
const SAME_SUBJECT = 0.5;

export const NO_RESOLUTION: Resolution = { merged: [], ended: [], known: new Map() };

/**
 * Applies decisions to the current memories. A decision counts only for a memory that the prompt showed, that is
 * still `current` with the same text, and that is not newer than the candidate; and only for a candidate that is
 * still `fresh`. Every candidate without a valid decision is added, so that no statement is lost: the safeguard of
 * E9, per candidate. An `UPDATE` covers the candidates that its text states. A `DELETE` counts when the candidate
 * is similar or shares half of the words. A `NONE` counts when a memory in the prompt is similar
 * (`relatedSimilarity`) and has every number, date and name of the candidate.
 *
 * @param fresh candidates that no rule has placed
 * @param current by id; changed or ended memories are missing or have another hash
 */
export function resolveDecisions(input: {
  shown: Shown;
  decisions: readonly Decision[];
  candidates: readonly Candidate[];
  fresh: ReadonlySet<number>;
  current: ReadonlyMap<string, CurrentMemory>;
  relatedSimilarity: number;
}): Resolution {
  const { shown, candidates, fresh } = input;
  const hashes = candidates.map((candidate) => contentHash(candidate.content));
  const indexOf = shown.candidates.map((hash) =>
    hashes.findIndex((one, index) => one === hash && fresh.has(index)),
  );
  const memoryOf = shown.memories.map(({ id, contentHash: hash }) => {
    const memory = input.current.get(id);
    return memory !== undefined && memory.contentHash === hash ? memory : null;
  });
  /** The candidates similar to a memory and not older than it. */
  const nextTo = (place: number, memory: CurrentMemory): number[] =>
    shown.near.flatMap((pair) => {
      const index = pair.memory === place ? (indexOf[pair.candidate] ?? -1) : -1;
      const candidate = candidates[index];
      return candidate !== undefined && candidate.statedAt >= memory.statedAt ? [index] : [];
    });
  const isSimilar = ({ similarity }: { similarity: number }) => similarity >= input.relatedSimilarity - 1e-4;
  /** Whether a candidate and a memory have the same subject, so that one can end the other. */
  const isAbout = (place: number, memory: CurrentMemory, index: number): boolean =>
    shown.near.some(
      (pair) => pair.memory === place && indexOf[pair.candidate] === index && isSimilar(pair),
    ) || sharedWords(memory.content, candidates[index]?.content ?? '') >= SAME_SUBJECT;
  const added = new Set<number>();
  const declined = new Set<number>();
  for (const decision of input.decisions) {
    if (decision.event !== 'ADD' && decision.event !== 'NONE') continue;
    const index = indexOf[decision.candidate] ?? -1;
    if (index >= 0) (decision.event === 'ADD' ? added : declined).add(index);
  }

  const merged: Resolution['merged'] = [];
  const placed = new Set<number>();
  const gone = new Set<string>();
  const known = new Map<number, string>();
  for (const decision of input.decisions) {
    if (decision.event !== 'UPDATE') continue;
    const memory = memoryOf[decision.memory];
    if (memory == null) continue;
    const content = mergedContent(memory, decision.text);
    const from = nextTo(decision.memory, memory).filter(
      (index) =>
        !added.has(index) && !placed.has(index) && tellsOf(content, candidates[index]?.content ?? ''),
    );
    // A text without words of the memory may replace it only for news with the same subject.
    const isTold = sharedWords(memory.content, content) > 0;
    if (!isTold && !from.some((index) => isAbout(decision.memory, memory, index))) continue;
    const sources = from.flatMap((index) => candidates[index] ?? []);
    const candidate = mergeInto(memory, decision.text, sources);
    if (candidate === null) continue;
    for (const index of from) placed.add(index);
    merged.push({ memory, candidate, from });
    gone.add(memory.id);
  }

  const ended: Resolution['ended'] = [];
  const successors = new Set<number>();
  for (const decision of input.decisions) {
    if (decision.event !== 'DELETE') continue;
    const memory = memoryOf[decision.memory];
    const by =
      memory == null
        ? undefined
        : nextTo(decision.memory, memory).find((index) => isAbout(decision.memory, memory, index));
    if (memory == null || by === undefined) continue;
    ended.push({ memory, by });
    successors.add(by);
    gone.add(memory.id);
  }

  for (const index of declined) {
    const candidate = candidates[index];
    if (candidate === undefined || placed.has(index) || successors.has(index)) continue;
    const similar = shown.near.flatMap(
      (pair) => (isSimilar(pair) && indexOf[pair.candidate] === index && memoryOf[pair.memory]) || [],
    );
    const says = similar.find(({ id, content }) => !gone.has(id) && addsNoWords(candidate.content, content));
    if (says !== undefined) known.set(index, says.id);
  }
  return { merged, ended, known };
}

/**
 * The memory with a text that also states the candidates; it keeps its subject and has the messages of both. Null
 * when the text is refused: it changes nothing, or states what no source states.
 */
function mergeInto(memory: CurrentMemory, given: string, sources: readonly Candidate[]): Candidate | null {
  const latest = sources.toSorted((a, b) => a.statedAt.getTime() - b.statedAt.getTime()).at(-1);
  if (latest === undefined) return null;
  const text = statedIn(memory, given);
  const content = mergedContent(memory, given);
  if (text === '' || contentHash(content) === memory.contentHash) return null;
  const news = sources.map((source) => source.content);
  if (refusalOfMerge(text, memory.content, news) !== null) return null;
  return {
    kind: memory.kind,
    tier: memory.tier,
    category: memory.category,
    key: memory.key,
    value: memory.key === null ? null : text,
    content,
    question: memory.question,
    answer: memory.kind === 'qa' ? text : null,
    tags: [...new Set([...memory.tags, ...sources.flatMap((source) => source.tags)])],
    importance: Math.max(memory.importance, ...sources.map((source) => source.importance)),
    confidence: Math.min(memory.confidence, ...sources.map((source) => source.confidence)),
    source: latest.source,
    sourceContext: latest.sourceContext,
    messageIds: [...new Set([...memory.messageIds, ...sources.flatMap((source) => source.messageIds)])],
    statedAt: latest.statedAt,
  };
}

/** The content of a memory after its statement becomes `text`. */
export function mergedContent(memory: Pick<CurrentMemory, 'kind' | 'question'>, text: string): string {
  const stated = statedIn(memory, text);
  return memory.kind === 'qa' ? `Q: ${memory.question ?? ''}\nA: ${stated}` : stated;
}

/** A model that saw question and answer may reply with both. */
function statedIn(memory: Pick<CurrentMemory, 'kind'>, text: string): string {
  return memory.kind === 'qa' ? text.replace(/^Q:.*?\bA:\s*/s, '') : text;
}
