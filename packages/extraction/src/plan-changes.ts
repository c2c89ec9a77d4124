import { contentHash, normaliseText } from './content-hash.ts';
import type { Candidate, KnownMemory } from './types.ts';

/**
 * What to do with one candidate.
 * - `ADD`: store it
 * - `REPLACE`: store it as the new current value; `memoryId` becomes history
 * - `STALE`: it was said before the current value `memoryId` was: store it as history, never as current
 * - `UNCHANGED`: already known as `memoryId`. With `confirmedAt` it was said again, later: the memory's
 *   `statedAt` must move there, or a statement made in between could wrongly replace it
 * - `DUPLICATE`: a later (or equal) candidate of the same reply says it, at index `of`
 */
export type Change =
  | { op: 'ADD'; candidate: Candidate }
  | { op: 'REPLACE'; candidate: Candidate; memoryId: string }
  | { op: 'STALE'; candidate: Candidate; memoryId: string }
  | { op: 'UNCHANGED'; candidate: Candidate; memoryId: string; confirmedAt?: Date }
  | { op: 'DUPLICATE'; candidate: Candidate; of: number };

/** What a memory is about: facts replace each other by category and key, Q/A pairs by their question. */
function subjectOf(memory: {
  kind: string;
  category: string;
  key: string | null;
  question?: string | null;
}): string | null {
  if (memory.kind === 'qa') {
    return typeof memory.question === 'string'
      ? JSON.stringify(['qa', normaliseText(memory.question)])
      : null;
  }
  return memory.kind === 'fact' && memory.key !== null
    ? JSON.stringify(['fact', memory.category, memory.key])
    : null;
}

/** What it says about its subject. */
function statementOf(memory: { kind: string; value: string | null; content: string }): string {
  return normaliseText(memory.kind === 'qa' ? memory.content : (memory.value ?? memory.content));
}

/** For each subject (or, without one, each content) the index of the candidate that speaks for it. */
function winners(candidates: readonly Candidate[], identities: readonly string[]): Map<string, number> {
  const best = new Map<string, number>();
  for (const [index, candidate] of candidates.entries()) {
    const identity = identities[index] ?? '';
    const current = best.get(identity);
    const rival = current === undefined ? undefined : candidates[current];
    if (rival === undefined || candidate.statedAt >= rival.statedAt) best.set(identity, index);
  }
  return best;
}

function compare(candidate: Candidate, known: KnownMemory): Change {
  const memoryId = known.id;
  if (statementOf(candidate) === statementOf(known)) {
    return candidate.statedAt > known.statedAt
      ? { op: 'UNCHANGED', candidate, memoryId, confirmedAt: candidate.statedAt }
      : { op: 'UNCHANGED', candidate, memoryId };
  }
  return candidate.statedAt >= known.statedAt
    ? { op: 'REPLACE', candidate, memoryId }
    : { op: 'STALE', candidate, memoryId };
}

/**
 * Decides what each candidate changes, in the candidates' order. Deterministic; planning again after the
 * plan was applied changes nothing, and two extractions end with the same current values in either order
 * (as long as contradicting statements differ in time).
 *
 * - `existingKeyed`: the user's current memories that have a subject: keyed facts, and Q/A with `question`
 * - `existingHashes`: `contentHash(content)` → memory id of the user's memories, superseded keyed facts
 *   included, so that an old statement that comes again is not recorded twice
 */
export function planChanges(input: {
  candidates: readonly Candidate[];
  existingKeyed: readonly KnownMemory[];
  existingHashes: ReadonlyMap<string, string>;
}): Change[] {
  const current = new Map<string, KnownMemory>();
  for (const memory of input.existingKeyed) {
    const subject = subjectOf(memory);
    if (subject !== null) current.set(subject, memory);
  }
  const identities = input.candidates.map(
    (candidate) => subjectOf(candidate) ?? contentHash(candidate.content),
  );
  const best = winners(input.candidates, identities);

  return input.candidates.map((candidate, index): Change => {
    const identity = identities[index] ?? '';
    const winner = best.get(identity) ?? index;
    if (winner !== index) return { op: 'DUPLICATE', candidate, of: winner };
    const known = current.get(identity);
    const hashed = input.existingHashes.get(contentHash(candidate.content));
    if (known !== undefined) {
      const change = compare(candidate, known);
      return change.op === 'STALE' && hashed !== undefined
        ? { op: 'UNCHANGED', candidate, memoryId: hashed }
        : change;
    }
    if (subjectOf(candidate) === null && hashed !== undefined)
      return { op: 'UNCHANGED', candidate, memoryId: hashed };
    return { op: 'ADD', candidate };
  });
}
