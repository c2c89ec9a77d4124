import type { CurrentMemoryRow, MemoryStore, Sql } from '@factmill/database';
import { contentHash, type CurrentMemory, mergedContent, type Neighbour } from '@factmill/extraction';
import { SERVED_MEMORIES } from './memory-store.ts';
import { planWrites, type CurrentState, subjectHash, validFromOf } from './plan-writes.ts';
import type { WriteRequest, Written } from './write-request.ts';

/** How many similar memories are compared with a new one. */
const NEIGHBOUR_LIMIT = 5;

/**
 * The only way that memories are written, by hand or by extraction: takes the user's lock, compares with the
 * current state under it, and applies the plan (add, replace, record as history, or nothing) with its versions.
 * Runs inside the caller's transaction. Results are in the order of `memories`.
 */
export async function writeMemories(tx: Sql, request: WriteRequest): Promise<Written[]> {
  if (request.memories.length === 0) return [];
  const store = request.store ?? SERVED_MEMORIES;
  await store.lock(tx, request.tenantId, request.userId);
  const current = await loadCurrentState(tx, request);
  // These end first: an expired memory that is not purged yet still holds its key.
  await store.supersede(
    tx,
    request.tenantId,
    current.expired.map((memory) => ({ ...memory, supersededBy: null })),
    request.actor,
  );
  const plan = planWrites(request, current);
  await store.supersede(tx, request.tenantId, plan.replaced, request.actor);
  const storedIds = await store.insert(tx, plan.added, request.actor);
  await store.confirm(tx, request.tenantId, plan.confirmed);
  return plan.toWritten(storedIds);
}

/** Loads the memories that new ones are compared with; changes nothing. Under the user's lock it stays true. */
export async function loadCurrentState(sql: Sql, request: WriteRequest): Promise<CurrentState> {
  const candidates = request.memories.map((memory) => memory.candidate);
  const promptMemories = await loadPromptMemories(sql, request);
  const merged = mergedHashes(request, promptMemories);
  const { findMatching } = request.store ?? SERVED_MEMORIES;
  const found = await findMatching(sql, {
    tenantId: request.tenantId,
    userId: request.userId,
    conversationId: request.conversationId ?? '',
    keys: candidates.flatMap((candidate) => (candidate.key === null ? [] : [candidate.key])),
    contentHashes: [...candidates.map((candidate) => contentHash(candidate.content)), ...merged],
    subjectHashes: candidates.flatMap((candidate) => subjectHash(candidate) ?? []),
  });
  const { similarity } = request;
  const neighbours =
    similarity === undefined
      ? []
      : await loadNeighbours(sql, {
          ...request,
          ...similarity,
          minSimilarity: similarity.minSimilarity ?? similarity.duplicateSimilarity,
        });
  const expired = found.flatMap(({ id, isCurrent, expiresAt }) =>
    isCurrent && expiresAt !== null && expiresAt <= request.now
      ? [{ id, validTo: expiresAt, cause: 'expired' }]
      : [],
  );
  // A statement that holds now replaces one that was to begin later. Otherwise it would count as known, and neither
  // would hold.
  const isOfNow = candidates.some((candidate) => validFromOf(candidate) <= request.now);
  const planned = found.flatMap(({ id, isCurrent, validFrom, statedAt }) =>
    isOfNow && isCurrent && validFrom > request.now && validFrom > statedAt
      ? [{ id, validTo: validFrom, cause: 'stated' }]
      : [],
  );
  const ended = [...expired, ...planned];
  const over = new Set(ended.map((memory) => memory.id));
  return {
    matching: found.filter((memory) => !over.has(memory.id)),
    neighbours,
    promptMemories,
    expired: ended,
  };
}

/** The most similar memories of each vector, best first. */
async function loadNeighbours(
  sql: Sql,
  search: Omit<Parameters<MemoryStore['findNeighbours']>[1], 'limit'> & Pick<WriteRequest, 'store'>,
): Promise<Neighbour[][]> {
  const neighbours: Neighbour[][] = search.vectors.map(() => []);
  const { findNeighbours } = search.store ?? SERVED_MEMORIES;
  const rows = await findNeighbours(sql, {
    tenantId: search.tenantId,
    userId: search.userId,
    model: search.model,
    vectors: search.vectors,
    minSimilarity: search.minSimilarity,
    limit: NEIGHBOUR_LIMIT,
    conversationId: search.conversationId ?? '',
  });
  for (const row of rows) {
    neighbours[row.candidate]?.push({ ...toCurrentMemory(row), similarity: row.similarity });
  }
  return neighbours;
}

async function loadPromptMemories(
  sql: Sql,
  { tenantId, userId, conversationId = '', reconcile, store }: WriteRequest,
): Promise<Map<string, CurrentMemory>> {
  const ids = reconcile?.shown.memories.map((memory) => memory.id) ?? [];
  return loadCurrentMemories(sql, { tenantId, userId, conversationId, ids, store });
}

/** The user's current memories with these ids, by id. */
export async function loadCurrentMemories(
  sql: Sql,
  target: Parameters<MemoryStore['findCurrent']>[1] & Readonly<{ store?: MemoryStore | undefined }>,
): Promise<Map<string, CurrentMemory>> {
  const { findCurrent } = target.store ?? SERVED_MEMORIES;
  const rows = await findCurrent(sql, target);
  return new Map(rows.map((row) => [row.id, toCurrentMemory(row)]));
}

/** Hashes of the merged texts, so that a text that exists already is not stored twice. */
function mergedHashes({ reconcile }: WriteRequest, promptMemories: CurrentState['promptMemories']): string[] {
  return (reconcile?.decisions ?? []).flatMap((decision) => {
    if (decision.event !== 'UPDATE') return [];
    const memory = promptMemories.get(reconcile?.shown.memories[decision.memory]?.id ?? '');
    return memory === undefined ? [] : [contentHash(mergedContent(memory, decision.text))];
  });
}

function toCurrentMemory(row: CurrentMemoryRow): CurrentMemory {
  return { ...row, tier: row.tier === 1 ? 1 : row.tier === 3 ? 3 : 2 };
}
