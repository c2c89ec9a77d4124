import { contentHash, normaliseText } from './content-hash.ts';
import { comparePrecedence } from './dedup/same-statement.ts';
import { findRepeatedCandidates, findDuplicate, type Neighbour, type Similarity } from './dedup/similar.ts';
import { NO_RESOLUTION, type Resolution } from './reconcile/resolve-decisions.ts';
import { subjectOf } from './subject.ts';
import type { Candidate, KnownMemory } from './types.ts';

/** Why a memory ended or was confirmed, for its history. */
type Cause = 'newer_value' | 'near_duplicate' | 'reconciled' | 'contradicted';

/**
 * What to do with one candidate.
 * - `ADD`: store it; the memories in `ends` contradict it and become history
 * - `REPLACE`: store it as the new current value; `memoryId` becomes history
 * - `STALE`: it was said before the current value `memoryId`: store it as history, never as current
 * - `UNCHANGED`: already known as `memoryId`. With `confirmedAt` it was said again, later: the memory's `statedAt`
 *   must move there, or a statement made in between could wrongly replace it
 * - `DUPLICATE`: another candidate of the same reply, at index `of`, states it and is no duplicate itself
 */
export type Change =
  | { op: 'ADD'; candidate: Candidate; ends?: string[] }
  | { op: 'REPLACE'; candidate: Candidate; memoryId: string; cause: Cause; ends?: string[] }
  | { op: 'STALE'; candidate: Candidate; memoryId: string }
  | { op: 'UNCHANGED'; candidate: Candidate; memoryId: string; confirmedAt?: Date; cause?: Cause }
  | { op: 'DUPLICATE'; candidate: Candidate; of: number; cause?: Cause };

/** The statement about that subject. */
function statementOf(memory: { kind: string; value: string | null; content: string }): string {
  return normaliseText(memory.kind === 'qa' ? memory.content : (memory.value ?? memory.content));
}

/** For each subject (or, without one, each content) the index of the candidate that is used. */
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
    ? { op: 'REPLACE', candidate, memoryId, cause: 'newer_value' }
    : { op: 'STALE', candidate, memoryId };
}

export type PlanInput = {
  candidates: readonly Candidate[];
  /** The user's current memories that have a subject: keyed facts, and Q/A with `question`. */
  existingKeyed: readonly KnownMemory[];
  /**
   * `contentHash(content)` → memory id of the user's memories, superseded keyed facts included, so that an old
   * statement that is repeated is not recorded twice.
   */
  existingHashes: ReadonlyMap<string, string>;
  /**
   * Texts without a subject that a later statement ended, and when: the same statement from before then is not new.
   */
  endedHashes?: ReadonlyMap<string, { id: string; until: Date }>;
  /** Without it, only equal texts count as known. */
  similarity?: Similarity | undefined;
  /** A model's decisions about the candidates in `fresh`, which no rule has placed. */
  reconcile?: ((fresh: ReadonlySet<number>) => Resolution) | undefined;
};

/**
 * Decides what each candidate changes, in the candidates' order. Deterministic; planning again after the plan was
 * applied changes nothing, and two extractions end with the same current values in either order (as long as
 * contradicting statements differ in time). Rules come first: the same key, question or text, then the same
 * statement in other words. `reconcile` decides only what they leave open.
 */
export function planChanges(input: PlanInput): Change[] {
  const { candidates, similarity } = input;
  const placed = placeByIdentity(input);
  /** Memories that an earlier candidate of this plan ends, with that candidate's index. */
  const taken = new Map<string, number>();
  for (const [index, change] of placed) if (change.op === 'REPLACE') taken.set(change.memoryId, index);
  if (similarity !== undefined) placeBySimilarity(candidates, placed, taken, similarity);

  const fresh = new Set([...candidates.keys()].filter((index) => !placed.has(index)));
  const resolution = fresh.size === 0 ? undefined : input.reconcile?.(fresh);
  const changes = applyResolution(input, placed, taken, resolution ?? NO_RESOLUTION);
  return changes.map((change) =>
    change.op === 'DUPLICATE' ? { ...change, of: rootOf(changes, change.of) } : change,
  );
}

function placeByIdentity(input: PlanInput): Map<number, Change> {
  const current = new Map<string, KnownMemory>();
  for (const memory of input.existingKeyed) {
    const subject = subjectOf(memory);
    if (subject !== null) current.set(subject, memory);
  }
  const identities = input.candidates.map(
    (candidate) => subjectOf(candidate) ?? contentHash(candidate.content),
  );
  const best = winners(input.candidates, identities);
  const placed = new Map<number, Change>();
  for (const [index, candidate] of input.candidates.entries()) {
    const identity = identities[index] ?? '';
    const winner = best.get(identity) ?? index;
    const known = current.get(identity);
    const hash = contentHash(candidate.content);
    const hashed = input.existingHashes.get(hash);
    const ended = input.endedHashes?.get(hash);
    if (winner !== index) placed.set(index, { op: 'DUPLICATE', candidate, of: winner });
    else if (known !== undefined) {
      const change = compare(candidate, known);
      placed.set(
        index,
        change.op === 'STALE' && hashed !== undefined
          ? { op: 'UNCHANGED', candidate, memoryId: hashed }
          : change,
      );
    } else if (subjectOf(candidate) === null && hashed !== undefined) {
      placed.set(index, { op: 'UNCHANGED', candidate, memoryId: hashed });
    } else if (subjectOf(candidate) === null && ended !== undefined && candidate.statedAt <= ended.until) {
      placed.set(index, { op: 'UNCHANGED', candidate, memoryId: ended.id });
    }
  }
  return placed;
}

/** Places candidates that repeat another candidate or a similar memory in other words. */
function placeBySimilarity(
  candidates: readonly Candidate[],
  placed: Map<number, Change>,
  taken: Map<string, number>,
  similarity: Similarity,
): void {
  const open = [...candidates.keys()].filter((index) => !placed.has(index));
  const repeated = findRepeatedCandidates(candidates, open, similarity);
  const distinct = open
    .filter((index) => !repeated.has(index))
    .toSorted((a, b) => compareAt(candidates, a, b));
  for (const index of distinct) {
    const candidate = candidates[index];
    if (candidate === undefined) continue;
    const neighbours = (similarity.neighbours[index] ?? []).filter((memory) => !isReplaced(memory, placed));
    const duplicate = findDuplicate(candidate, neighbours, similarity.duplicateSimilarity);
    if (duplicate === undefined) continue;
    const cause = 'near_duplicate';
    const rival = taken.get(duplicate.id);
    if (rival !== undefined) placed.set(index, { op: 'DUPLICATE', candidate, of: rival, cause });
    else if (comparePrecedence(candidate, duplicate) >= 0) {
      // The memory's own date: a confirmation in other words does not move it.
      const confirmedAt = duplicate.statedAt;
      placed.set(index, { op: 'UNCHANGED', candidate, memoryId: duplicate.id, confirmedAt, cause });
    } else {
      const both = sayingBoth(candidate, duplicate);
      placed.set(index, { op: 'REPLACE', candidate: both, memoryId: duplicate.id, cause });
      taken.set(duplicate.id, index);
    }
  }
  for (const [index, of] of repeated) {
    const candidate = candidates[index];
    if (candidate !== undefined)
      placed.set(index, { op: 'DUPLICATE', candidate, of, cause: 'near_duplicate' });
  }
}

/** The candidate, with the messages of both and the later of their dates. */
function sayingBoth(candidate: Candidate, duplicate: Neighbour): Candidate {
  return {
    ...candidate,
    messageIds: [...new Set([...duplicate.messageIds, ...candidate.messageIds])],
    statedAt: duplicate.statedAt > candidate.statedAt ? duplicate.statedAt : candidate.statedAt,
  };
}

function compareAt(candidates: readonly Candidate[], a: number, b: number): number {
  const left = candidates[a];
  const right = candidates[b];
  return left === undefined || right === undefined ? 0 : comparePrecedence(left, right);
}

/**
 * Whether this plan replaces the memory by a newer value: then the candidate with its old statement is no
 * repetition.
 */
function isReplaced(memory: Neighbour, placed: ReadonlyMap<number, Change>): boolean {
  return [...placed.values()].some(
    (change) => change.op === 'REPLACE' && change.memoryId === memory.id && change.cause !== 'near_duplicate',
  );
}

function applyResolution(
  input: PlanInput,
  placed: ReadonlyMap<number, Change>,
  taken: ReadonlyMap<string, number>,
  { merged, ended, known }: Resolution,
): Change[] {
  const changes = new Map(placed);
  const gone = new Set(taken.keys());
  const texts = new Set(
    input.candidates.map((candidate) => contentHash(candidate.content)).filter((_, at) => !placed.has(at)),
  );
  for (const { memory, candidate, from } of merged) {
    const hash = contentHash(candidate.content);
    const absorbed = new Set(from.map((index) => contentHash(input.candidates[index]?.content ?? '')));
    const isSaid = input.existingHashes.has(hash) || (texts.has(hash) && !absorbed.has(hash));
    const [first, ...others] = from;
    if (first === undefined || gone.has(memory.id) || isSaid) continue;
    texts.add(hash);
    gone.add(memory.id);
    changes.set(first, { op: 'REPLACE', candidate, memoryId: memory.id, cause: 'reconciled' });
    for (const index of others) {
      changes.set(index, { op: 'DUPLICATE', candidate: input.candidates[index] ?? candidate, of: first });
    }
  }
  for (const [index, memoryId] of known) {
    const candidate = input.candidates[index];
    if (candidate === undefined || changes.has(index) || gone.has(memoryId)) continue;
    changes.set(index, { op: 'UNCHANGED', candidate, memoryId, cause: 'reconciled' });
  }
  for (const [index, candidate] of input.candidates.entries()) {
    if (!changes.has(index)) changes.set(index, { op: 'ADD', candidate });
  }
  for (const { memory, by } of ended) {
    const given = changes.get(by);
    const at = given?.op === 'DUPLICATE' ? given.of : by;
    const successor = changes.get(at);
    if (gone.has(memory.id) || (successor?.op !== 'ADD' && successor?.op !== 'REPLACE')) continue;
    gone.add(memory.id);
    changes.set(at, { ...successor, ends: [...(successor.ends ?? []), memory.id] });
  }
  return [...changes].toSorted(([a], [b]) => a - b).map(([, change]) => change);
}

/** A duplicate may point at a candidate that is a duplicate itself. */
function rootOf(changes: readonly Change[], of: number): number {
  let index = of;
  for (let step = 0; step < changes.length; step += 1) {
    const change = changes[index];
    if (change?.op !== 'DUPLICATE') return index;
    index = change.of;
  }
  return index;
}
