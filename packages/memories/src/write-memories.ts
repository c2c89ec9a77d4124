import {
  type Actor,
  confirmMemories,
  findMatchingMemories,
  insertMemories,
  lockUserMemories,
  type MatchingMemory,
  type NewMemory,
  type Sql,
  supersedeMemories,
} from '@factmill/database';
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

/**
 * The one way memories are written, by hand or by extraction: takes the user's lock, compares with what is
 * current under it, and applies the plan (add, replace, record as history, or nothing) with its versions.
 * Runs inside the caller's transaction. Results are in the order of `memories`.
 */
export async function writeMemories(tx: Sql, request: WriteRequest): Promise<Written[]> {
  if (request.memories.length === 0) return [];
  await lockUserMemories(tx, request.tenantId, request.userId);
  const candidates = request.memories.map((memory) => memory.candidate);
  const matching = await findStanding(tx, request, {
    keys: candidates.flatMap((candidate) => (candidate.key === null ? [] : [candidate.key])),
    contentHashes: candidates.map((candidate) => contentHash(candidate.content)),
    subjectHashes: candidates.flatMap((candidate) => subjectHash(candidate) ?? []),
  });
  const plan = planChanges({
    candidates,
    existingKeyed: matching.filter((memory) => memory.isCurrent),
    existingHashes: hashesOf(matching),
  });
  const steps = plan.map((change, index) => ({ change, id: request.newId(), index }));
  const known = new Map(matching.map((memory) => [memory.id, memory]));

  await supersedeMemories(
    tx,
    steps.flatMap(({ change, id }) =>
      change.op === 'REPLACE'
        ? [{ id: change.memoryId, supersededBy: id, validTo: validFromOf(change.candidate) }]
        : [],
    ),
    request.actor,
  );
  const inserted = await insertMemories(
    tx,
    steps.flatMap(({ change, id, index }) => {
      const memory = toNewMemory(change, id, request, request.memories[index], known);
      return memory === null ? [] : [memory];
    }),
    request.actor,
  );
  await confirmMemories(
    tx,
    steps.flatMap(({ change }) =>
      change.op === 'UNCHANGED' && change.confirmedAt !== undefined
        ? [{ id: change.memoryId, statedAt: change.confirmedAt }]
        : [],
    ),
  );

  const stored = new Set(inserted.map((memory) => memory.id));
  return steps.map((step) => {
    const { change } = step;
    if (change.op !== 'DUPLICATE') return toWritten(step, stored, request.wantsEmbedding);
    const spokenFor = steps[change.of];
    return spokenFor === undefined ? SKIPPED : toWritten(spokenFor, stored, false);
  });
}

/**
 * Memories that still stand and match. One that has expired but is not purged yet still holds its key: it is ended
 * here, or stating it again would confirm a memory that nobody can see.
 */
async function findStanding(
  tx: Sql,
  { tenantId, userId, actor, now }: WriteRequest,
  match: Omit<Parameters<typeof findMatchingMemories>[1], 'tenantId' | 'userId'>,
): Promise<MatchingMemory[]> {
  const matching = await findMatchingMemories(tx, { tenantId, userId, ...match });
  const expired = new Map(
    matching.flatMap(({ id, isCurrent, expiresAt }) =>
      isCurrent && expiresAt !== null && expiresAt <= now ? [[id, expiresAt]] : [],
    ),
  );
  await supersedeMemories(
    tx,
    [...expired].map(([id, validTo]) => ({ id, supersededBy: null, validTo })),
    actor,
  );
  return matching.filter((memory) => !expired.has(memory.id));
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
    project: extra?.project ?? null,
    topic: extra?.topic ?? null,
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
