import type { Actor, MatchingMemory, NewMemory } from '@factmill/database';
import { type Candidate, type Change, contentHash, planChanges } from '@factmill/extraction';

/** A candidate with what only a caller of the REST API can say about it. */
export type MemoryToWrite = Readonly<{
  candidate: Candidate;
  project?: string | null;
  topic?: string | null;
  expiresAt?: Date | null;
  metadata?: Record<string, unknown>;
}>;

/** What became of one candidate. `id` is the memory that now holds its statement; null for `skipped`. */
export type Written = Readonly<{
  status: 'created' | 'updated' | 'unchanged' | 'skipped';
  id: string | null;
  /** The content to embed, when a vector is missing. */
  pendingContent: string | null;
}>;

export type WriteRequest = Readonly<{
  tenantId: string;
  userId: string;
  memories: readonly MemoryToWrite[];
  actor: Actor;
  /** False when no embedding model is configured. */
  wantsEmbedding: boolean;
  newId: () => string;
  now: Date;
}>;

export type WritePlan = Readonly<{
  replaced: readonly Readonly<{ id: string; supersededBy: string; validTo: Date }>[];
  added: readonly NewMemory[];
  confirmed: readonly Readonly<{ id: string; statedAt: Date }>[];
  /** What became of each candidate, in their order, once those of `added` with these ids are stored. */
  toWritten: (storedIds: readonly string[]) => Written[];
}>;

/**
 * What to write, compared with the memories that match. With none that match it is what a user without any memories
 * would get, and only `added` has anything.
 */
export function planWrites(request: WriteRequest, matching: readonly MatchingMemory[]): WritePlan {
  const changes = planChanges({
    candidates: request.memories.map((memory) => memory.candidate),
    existingKeyed: matching.filter((memory) => memory.isCurrent),
    existingHashes: hashesOf(matching),
  });
  const steps = changes.map((change, index) => ({ change, id: request.newId(), index }));
  const known = new Map(matching.map((memory) => [memory.id, memory]));
  return {
    replaced: steps.flatMap(({ change, id }) =>
      change.op === 'REPLACE'
        ? [{ id: change.memoryId, supersededBy: id, validTo: validFromOf(change.candidate) }]
        : [],
    ),
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
        return spokenFor === undefined ? SKIPPED : toWritten(spokenFor, stored, false);
      });
    },
  };
}

/** Text → memory that says it. Of what is history only facts and answers count, and nothing before what is current. */
function hashesOf(matching: readonly MatchingMemory[]): Map<string, string> {
  const history = matching.filter(
    (memory) => !memory.isCurrent && (memory.key !== null || memory.kind === 'qa'),
  );
  const current = matching.filter((memory) => memory.isCurrent);
  return new Map([...history, ...current].map((memory) => [memory.contentHash, memory.id]));
}

const SKIPPED: Written = { status: 'skipped', id: null, pendingContent: null };

function toWritten(
  step: Readonly<{ change: Change; id: string }>,
  stored: ReadonlySet<string>,
  wantsEmbedding: boolean,
): Written {
  const { change, id } = step;
  if (change.op === 'UNCHANGED') return { status: 'unchanged', id: change.memoryId, pendingContent: null };
  if (!stored.has(id)) return SKIPPED;
  if (change.op === 'STALE') return { status: 'unchanged', id: change.memoryId, pendingContent: null };
  return {
    status: change.op === 'ADD' ? 'created' : 'updated',
    id,
    pendingContent: wantsEmbedding ? change.candidate.content : null,
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
    validFrom: validFromOf(candidate),
    validTo: newer === undefined ? null : latest(newer.validFrom, validFromOf(candidate)),
    supersededBy: newer?.id ?? null,
    expiresAt: extra?.expiresAt ?? null,
    messageIds: candidate.messageIds,
    metadata: extra?.metadata ?? {},
    wantsEmbedding: request.wantsEmbedding && change.op !== 'STALE',
  };
}

function latest(left: Date, right: Date): Date {
  return left > right ? left : right;
}

function validFromOf(candidate: Candidate): Date {
  return candidate.validFrom ?? candidate.statedAt;
}

/** Identity of a Q/A memory: its normalised question. */
export function subjectHash(memory: Pick<Candidate, 'kind' | 'question'>): string | null {
  return memory.kind === 'qa' && memory.question !== null ? contentHash(memory.question) : null;
}
