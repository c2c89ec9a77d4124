import {
  type Actor,
  archiveMemories,
  type CompressibleMemory,
  findMatchingMemories,
  markCompressed,
  type RunClaim,
  type Sql,
  updateMemory,
} from '@factmill/database';
import { type CompressionDecision, contentHash } from '@factmill/extraction';
import { writeMemories, type Written } from '@factmill/memories';
import { isWriting, toWrite, type WritingDecision } from './to-writes.ts';

const ACTOR: Actor = { actor: 'compression', extractionId: null };

export type ApplyDeps = Readonly<{ newId: () => string; now: () => Date; wantsEmbedding: boolean }>;

export type AppliedCompression = Readonly<{
  counts: Record<string, number>;
  /** The decisions, without new memories that are already known by text or as the same fact. */
  decisions: readonly CompressionDecision[];
  /** Memories without a vector. */
  withoutVector: readonly string[];
}>;

/**
 * Applies a run's decisions in the caller's transaction, which holds the user's lock. New memories are written like
 * all others. A memory is archived as merged only into a current one: when a statement turns out to be known as
 * another memory, its sources stay.
 */
export async function applyDecisions(
  tx: Sql,
  deps: ApplyDeps,
  claim: RunClaim,
  decisions: readonly CompressionDecision[],
  current: ReadonlyMap<string, CompressibleMemory>,
): Promise<AppliedCompression> {
  const writing = decisions.filter(isWriting);
  const written = await writeMemories(tx, {
    tenantId: claim.tenantId,
    userId: claim.userId,
    memories: writing.map((decision) => toWrite(decision, current, claim.id, deps.now())),
    actor: ACTOR,
    wantsEmbedding: deps.wantsEmbedding,
    newId: deps.newId,
    now: deps.now(),
  });
  const merged = await archiveMemories(tx, claim, 'MERGE', mergedInto(writing, written), ACTOR);
  const collapsed = await archiveMemories(
    tx,
    claim,
    'MERGE',
    decisions.flatMap((decision) =>
      decision.op === 'collapse' ? decision.from.map((id) => ({ id, into: decision.into })) : [],
    ),
    ACTOR,
  );
  const archived = await archiveMemories(
    tx,
    claim,
    'ARCHIVE',
    decisions.flatMap((decision) => (decision.op === 'archive' ? [{ id: decision.id, into: null }] : [])),
    ACTOR,
  );
  let updated = 0;
  let promoted = 0;
  let compressed = 0;
  for (const decision of decisions) {
    if (decision.op === 'profile_update') updated += await rewordLine(tx, claim, decision);
    else if (decision.op === 'promote') {
      const row = await updateMemory(tx, { ...claim, id: decision.id }, { tier: 1 }, ACTOR);
      promoted += row === undefined ? 0 : 1;
    } else if (decision.op === 'compressed') compressed += await markCompressed(tx, claim, decision.ids);
  }
  const created = written.filter((memory) => isNew(memory));
  const known = new Set<CompressionDecision>(
    writing.filter(({ op }, index) => op !== 'merge' && !isNew(written[index])),
  );
  return {
    decisions: decisions.filter((decision) => !known.has(decision)),
    counts: {
      added: created.length,
      merged: merged.length,
      collapsed: collapsed.length,
      archived: archived.length,
      updated,
      promoted,
      compressed,
    },
    withoutVector: created.flatMap(({ id, pendingContent }) =>
      id === null || pendingContent === null ? [] : [id],
    ),
  };
}

function isNew(memory: Written | undefined): boolean {
  return memory?.status === 'created' || memory?.status === 'updated';
}

function mergedInto(
  writing: readonly WritingDecision[],
  written: readonly Written[],
): { id: string; into: string }[] {
  return writing.flatMap((decision, index) => {
    const into = written[index]?.id ?? null;
    if (decision.op !== 'merge' || into === null) return [];
    // The statement may equal one of its sources: that one stays.
    return decision.from.filter((id) => id !== into).map((id) => ({ id, into }));
  });
}

/** Rewords a line; it stays unchanged when another memory already has the new text. */
async function rewordLine(
  tx: Sql,
  claim: RunClaim,
  { id, text }: Extract<CompressionDecision, { op: 'profile_update' }>,
): Promise<number> {
  const hash = contentHash(text);
  const matching = await findMatchingMemories(tx, {
    tenantId: claim.tenantId,
    userId: claim.userId,
    keys: [],
    contentHashes: [hash],
    subjectHashes: [],
  });
  if (matching.some((memory) => memory.isCurrent && memory.id !== id)) return 0;
  const row = await updateMemory(tx, { ...claim, id }, { content: text, content_hash: hash }, ACTOR);
  return row === undefined ? 0 : 1;
}
