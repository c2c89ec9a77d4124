import type { MatchingMemory, NewMemory } from '@factmill/database';
import {
  type Candidate,
  type Change,
  contentHash,
  type CurrentMemory,
  type Neighbour,
  NO_RESOLUTION,
  planChanges,
  resolveDecisions,
} from '@factmill/extraction';
import type { MemoryToWrite, WriteRequest, Written } from './write-request.ts';

/** The user's memories that new ones are compared with. */
export type CurrentState = Readonly<{
  matching: readonly MatchingMemory[];
  /** The most similar memories of each new one, best first. */
  neighbours: readonly (readonly Neighbour[])[];
  /** The memories in the model's prompt, as they are now. */
  promptMemories: ReadonlyMap<string, CurrentMemory>;
  /**
   * Current memories that have expired, or planned ones that a newer statement replaces. They match nothing, and
   * hold their key until the write ends them.
   */
  expired: readonly Readonly<{ id: string; validTo: Date; cause: string }>[];
}>;

/** A user without memories. */
export const NOTHING: CurrentState = { matching: [], neighbours: [], promptMemories: new Map(), expired: [] };

export type WritePlan = Readonly<{
  replaced: readonly Readonly<{ id: string; supersededBy: string; validTo: Date; cause: string }>[];
  added: readonly NewMemory[];
  confirmed: readonly Readonly<{ id: string; statedAt: Date }>[];
  /** The outcomes in the order of the candidates, given which ids of `added` were stored. */
  toWritten: (storedIds: readonly string[]) => Written[];
}>;

/**
 * Plans the writes, given the user's current state. With NOTHING, the plan is that of a user without memories, and
 * only `added` is not empty.
 */
export function planWrites(request: WriteRequest, current: CurrentState): WritePlan {
  const { matching } = current;
  const { reconcile } = request;
  const changes = planChanges({
    ...toPlanInput(request, current),
    reconcile:
      reconcile &&
      ((fresh) =>
        resolveDecisions({
          ...reconcile,
          candidates: request.memories.map((memory) => memory.candidate),
          fresh,
          current: current.promptMemories,
        })),
  });
  const steps = changes.map((change, index) => ({ change, id: request.newId(), index }));
  const known = new Map(matching.map((memory) => [memory.id, memory]));
  return {
    replaced: steps.flatMap(({ change, id }) => {
      const ends = change.op === 'ADD' || change.op === 'REPLACE' ? (change.ends ?? []) : [];
      const end = (memoryId: string, cause: string) => ({
        id: memoryId,
        supersededBy: id,
        validTo: beginOf(change, request.now, known),
        cause,
      });
      return [
        ...(change.op === 'REPLACE' ? [end(change.memoryId, change.cause)] : []),
        ...ends.map((memoryId) => end(memoryId, 'contradicted')),
      ];
    }),
    added: steps.flatMap(({ change, id, index }) => {
      const memory = toNewMemory(change, id, request, request.memories[index], known);
      return memory === null ? [] : [memory];
    }),
    confirmed: steps.flatMap(({ change }) =>
      change.op === 'UNCHANGED' && change.confirmedAt !== undefined
        ? [{ id: change.memoryId, statedAt: change.confirmedAt }]
        : [],
    ),
    toWritten(storedIds) {
      const stored = new Set(storedIds);
      return steps.map((step) => {
        const { change } = step;
        if (change.op !== 'DUPLICATE') return toWritten(step, stored, request.wantsEmbedding);
        const spokenFor = steps[change.of];
        if (spokenFor === undefined) return SKIPPED;
        const { ended: _, ...written } = toWritten(spokenFor, stored, false);
        const reason =
          spokenFor.change.op === 'REPLACE' && spokenFor.change.cause === 'reconciled'
            ? 'reconciled'
            : 'repeated';
        return { ...written, reason: change.cause ?? reason };
      });
    },
  };
}

/** Which of the memories to write are new by the rules: not known, not a newer value, not repeated. */
export function findFresh(request: WriteRequest, current: CurrentState): ReadonlySet<number> {
  let found: ReadonlySet<number> = new Set();
  planChanges({
    ...toPlanInput(request, current),
    reconcile: (fresh) => {
      found = fresh;
      return NO_RESOLUTION;
    },
  });
  return found;
}

function toPlanInput({ memories, similarity }: WriteRequest, { matching, neighbours }: CurrentState) {
  return {
    candidates: memories.map((memory) => memory.candidate),
    existingKeyed: matching.filter((memory) => memory.isCurrent),
    existingHashes: hashesOf(matching),
    endedHashes: endedHashesOf(matching),
    similarity: similarity && { ...similarity, neighbours },
  };
}

/** Text → memory with that text. Ended memories count only as keyed facts and answers, and current ones win. */
function hashesOf(matching: readonly MatchingMemory[]): Map<string, string> {
  const history = matching.filter(
    (memory) => !memory.isCurrent && (memory.key !== null || memory.kind === 'qa'),
  );
  const current = matching.filter((memory) => memory.isCurrent);
  return new Map([...history, ...current].map((memory) => [memory.contentHash, memory.id]));
}

/** Texts that a later statement ended: the same statement from before that is not new. */
function endedHashesOf(matching: readonly MatchingMemory[]): Map<string, { id: string; until: Date }> {
  const ended = new Map<string, { id: string; until: Date }>();
  for (const { id, contentHash: hash, isCurrent, key, kind, validTo } of matching) {
    if (isCurrent || key !== null || kind === 'qa' || validTo === null) continue;
    const other = ended.get(hash);
    if (other === undefined || validTo > other.until) ended.set(hash, { id, until: validTo });
  }
  return ended;
}

const SKIPPED: Written = { status: 'skipped', id: null, pendingContent: null };

function toWritten(
  step: Readonly<{ change: Change; id: string }>,
  stored: ReadonlySet<string>,
  wantsEmbedding: boolean,
): Written {
  const { change, id } = step;
  if (change.op === 'UNCHANGED') {
    return {
      status: 'unchanged',
      id: change.memoryId,
      pendingContent: null,
      reason: change.cause ?? 'known',
    };
  }
  if (!stored.has(id)) return SKIPPED;
  if (change.op === 'STALE') {
    return { status: 'unchanged', id: change.memoryId, pendingContent: null, reason: 'outdated' };
  }
  return {
    status: change.op === 'REPLACE' ? 'updated' : 'created',
    id,
    pendingContent: wantsEmbedding ? change.candidate.content : null,
    ...(change.op !== 'DUPLICATE' && change.ends !== undefined ? { ended: change.ends } : {}),
  };
}

function toNewMemory(
  change: Change,
  id: string,
  request: WriteRequest,
  extra: MemoryToWrite | undefined,
  known: ReadonlyMap<string, MatchingMemory>,
): NewMemory | null {
  if (change.op === 'UNCHANGED' || change.op === 'DUPLICATE') return null;
  const { candidate } = change;
  const newer = change.op === 'STALE' ? known.get(change.memoryId) : undefined;
  return {
    id,
    tenantId: request.tenantId,
    userId: request.userId,
    conversationId: request.conversationId ?? '',
    tier: candidate.tier,
    kind: candidate.kind,
    category: candidate.category,
    key: candidate.key,
    value: candidate.value,
    content: candidate.content,
    question: candidate.question,
    answer: candidate.answer,
    tags: candidate.tags,
    project: extra?.project ?? candidate.project ?? null,
    topic: extra?.topic ?? candidate.topic ?? null,
    importance: candidate.importance,
    confidence: candidate.confidence,
    source: candidate.source,
    sourceContext: candidate.sourceContext,
    contentHash: contentHash(candidate.content),
    subjectHash: subjectHash(candidate),
    statedAt: candidate.statedAt,
    validFrom: beginOf(change, request.now, known),
    validTo: newer === undefined ? null : latest(newer.validFrom, validFromOf(candidate)),
    supersededBy: newer?.id ?? null,
    expiresAt: extra?.expiresAt ?? null,
    messageIds: candidate.messageIds,
    ...candidate.origin,
    metadata: extra?.metadata ?? {},
    wantsEmbedding: request.wantsEmbedding && change.op !== 'STALE',
  };
}

function latest(left: Date, right: Date): Date {
  return left > right ? left : right;
}

/**
 * When a new memory begins to hold. One that replaces a memory in force begins now at the latest, even when it
 * names a later day: one of the two always holds.
 */
function beginOf(change: Change, now: Date, known: ReadonlyMap<string, MatchingMemory>): Date {
  const begin = validFromOf(change.candidate);
  if (begin <= now || begin <= change.candidate.statedAt) return begin;
  const replaced = [
    ...(change.op === 'REPLACE' ? [change.memoryId] : []),
    ...(change.op === 'ADD' || change.op === 'REPLACE' ? (change.ends ?? []) : []),
  ];
  const hasBegun = (id: string) => (known.get(id)?.validFrom ?? now) <= now;
  return replaced.some(hasBegun) ? now : begin;
}

/** When a statement begins to hold: the date it names, else when it was said. */
export function validFromOf(candidate: Candidate): Date {
  return candidate.validFrom ?? candidate.statedAt;
}

/** Identity of a Q/A memory: its normalised question. */
export function subjectHash(memory: Pick<Candidate, 'kind' | 'question'>): string | null {
  return memory.kind === 'qa' && memory.question !== null ? contentHash(memory.question) : null;
}
