import {
  type Actor,
  type AppliedReplay,
  lockUserMemories,
  readAppliedReplay,
  type Shadow,
  type Sql,
  swapInShadow,
  takeShadowBack,
} from '@factmill/database';

/** What a replay has done to the memories of a user. */
export type ReplayEffect = Readonly<{
  counts: Readonly<Record<string, number>>;
  /** For the undo; null for an undo. */
  changed: AppliedReplay | null;
  /** Memories that may lack a vector. */
  toEmbed: readonly string[];
}>;

/** Versions name the replay. */
function actorOf({ replayId }: Shadow): Actor {
  return { actor: `replay:${replayId}`, extractionId: null };
}

/** Applies the shadow of a user, under the user's lock, each change with a version. */
export async function applyReplay(tx: Sql, shadow: Shadow, wantsEmbedding: boolean): Promise<ReplayEffect> {
  await lockUserMemories(tx, shadow.tenantId, shadow.userId);
  const changed = await swapInShadow(tx, shadow, { actor: actorOf(shadow), wantsEmbedding });
  const counts = Object.fromEntries(Object.entries(changed).map(([name, ids]) => [name, ids.length]));
  return { counts, changed, toEmbed: [...changed.added, ...changed.revived.map(({ id }) => id)] };
}

/** Undoes that, but for what was changed since. */
export async function undoReplay(tx: Sql, shadow: Shadow): Promise<ReplayEffect> {
  await lockUserMemories(tx, shadow.tenantId, shadow.userId);
  const applied = await readAppliedReplay(tx, shadow);
  if (applied === undefined) return { counts: {}, changed: null, toEmbed: [] };
  const counts = await takeShadowBack(tx, shadow, applied, actorOf(shadow));
  return { counts, changed: null, toEmbed: [...applied.deleted, ...applied.ended] };
}
