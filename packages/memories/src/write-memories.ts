import {
  confirmMemories,
  findMatchingMemories,
  insertMemories,
  lockUserMemories,
  type MatchingMemory,
  type Sql,
  supersedeMemories,
} from '@factmill/database';
import { contentHash } from '@factmill/extraction';
import { planWrites, subjectHash, type WriteRequest, type Written } from './plan-writes.ts';

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
  const plan = planWrites(request, matching);
  await supersedeMemories(tx, plan.replaced, request.actor);
  const storedIds = await insertMemories(tx, plan.added, request.actor);
  await confirmMemories(tx, plan.confirmed);
  return plan.toWritten(storedIds);
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
