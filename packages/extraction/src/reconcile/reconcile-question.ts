import { contentHash, normaliseKey } from '../content-hash.ts';
import { distinguishingWords } from '../dedup/distinguishing-words.ts';
import type { Neighbour } from '../dedup/similar.ts';
import type { Candidate } from '../types.ts';

/**
 * What the prompt showed, without text: candidates by the hash of their content, memories by id and hash, and the
 * similarity of each candidate to each memory (by index). Stored with the answer, so that the answer keeps its
 * meaning after a crash.
 */
export type Shown = {
  candidates: string[];
  memories: { id: string; contentHash: string }[];
  near: { candidate: number; memory: number; similarity: number }[];
};

export type ReconcileQuestion = { shown: Shown; candidates: Candidate[]; memories: Neighbour[] };

/** Maximum of candidates in one call; further ones are added unchanged. */
const MAX_CANDIDATES = 20;
const MAX_MEMORIES = 40;

/**
 * The question for the model, or null when no answer could change anything.
 *
 * @param fresh candidates that no rule has placed and that would be added
 * @param neighbours similar memories of each candidate, best first
 * @param from `near`: the minimum similarity of a pair. `always`: pass 0 or less
 */
export function toReconcileQuestion(input: {
  candidates: readonly Candidate[];
  fresh: readonly number[];
  neighbours: readonly (readonly Neighbour[])[];
  mode: 'near' | 'always';
  relatedSimilarity: number;
}): ReconcileQuestion | null {
  const candidates: Candidate[] = [];
  const memories = new Map<string, { place: number; memory: Neighbour }>();
  const near: Shown['near'] = [];
  for (const index of input.fresh) {
    const candidate = input.candidates[index];
    if (candidate === undefined || candidates.length >= MAX_CANDIDATES) continue;
    const place = candidates.length;
    const found = (input.neighbours[index] ?? []).filter((memory) => couldMatter(candidate, memory, input));
    let shown = 0;
    for (const memory of found) {
      const known = memories.get(memory.id) ?? { place: memories.size, memory };
      if (known.place >= MAX_MEMORIES) continue;
      memories.set(memory.id, known);
      near.push({ candidate: place, memory: known.place, similarity: round(memory.similarity) });
      shown += 1;
    }
    if (shown > 0) candidates.push(candidate);
  }
  if (candidates.length === 0) return null;
  const shownMemories = [...memories.values()].map(({ memory }) => memory);
  return {
    candidates,
    memories: shownMemories,
    shown: {
      candidates: candidates.map((candidate) => contentHash(candidate.content)),
      memories: shownMemories.map((memory) => ({ id: memory.id, contentHash: memory.contentHash })),
      near,
    },
  };
}

/** An older statement changes nothing about a newer one, and events never change. */
function couldMatter(
  candidate: Candidate,
  memory: Neighbour,
  { mode, relatedSimilarity }: { mode: 'near' | 'always'; relatedSimilarity: number },
): boolean {
  if (memory.statedAt > candidate.statedAt) return false;
  if (mode === 'always') return true;
  if (memory.similarity < relatedSimilarity || candidate.kind === 'event' || memory.kind === 'event')
    return false;
  return candidate.key === null || memory.key === null || couldBeOneKey(candidate.key, memory.key);
}

/** `favorite_color` and `favourite_colour` may be one attribute; `code_word_17` and `code_word_18` are not. */
function couldBeOneKey(left: string, right: string): boolean {
  const numbersOf = (key: string): string =>
    [...distinguishingWords(normaliseKey(key).replaceAll('_', ' '))]
      .filter((word) => word.startsWith('#'))
      .toSorted()
      .join(' ');
  return numbersOf(left) === numbersOf(right);
}

function round(similarity: number): number {
  return Math.round(similarity * 1e4) / 1e4;
}

/**
 * For each memory in the prompt, the texts that an update may use: its own and those of its similar candidates.
 * Null for a memory whose text has changed since.
 */
export function textsOfShown(
  shown: Shown,
  candidates: readonly Pick<Candidate, 'content'>[],
  memories: ReadonlyMap<string, Pick<Neighbour, 'content' | 'contentHash'>>,
): (memory: number) => readonly string[] | null {
  const contents = new Map(candidates.map(({ content }) => [contentHash(content), content]));
  return (place) => {
    const was = shown.memories[place];
    const memory = was === undefined ? undefined : memories.get(was.id);
    if (memory === undefined || memory.contentHash !== was?.contentHash) return null;
    const next = shown.near
      .filter((pair) => pair.memory === place)
      .flatMap((pair) => contents.get(shown.candidates[pair.candidate] ?? '') ?? []);
    return [memory.content, ...next];
  };
}

/** Parses what was stored with an answer; null for anything else. */
export function shownOf(kept: unknown): Shown | null {
  const fields: Partial<Record<keyof Shown, unknown>> = typeof kept === 'object' && kept !== null ? kept : {};
  const { candidates, memories, near } = fields;
  if (!Array.isArray(candidates) || !Array.isArray(memories) || !Array.isArray(near)) return null;
  return { candidates, memories, near };
}
