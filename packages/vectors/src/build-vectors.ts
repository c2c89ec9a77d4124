import {
  advanceEmbeddingBuild,
  beginEmbeddingBuild,
  type BuildPosition,
  countVectors,
  findActiveEmbeddingModel,
  FIRST_ID,
  listLackingVectors,
  noteBuildProgress,
  releaseEmbeddingBuild,
  saveBuiltVectors,
  type Sql,
  takeEmbeddingBuild,
} from '@factmill/database';
import type { Embedder } from '@factmill/models';
import { embedLacking } from './embed-lacking.ts';

/** built: nothing is missing; elsewhere: another worker is at it; more: the time is over. */
export type BuildOutcome = 'built' | 'elsewhere' | 'more';

export type BuildDeps = Readonly<{
  database: Sql;
  embedder: Embedder;
  /** Of the embedder; registered. */
  model: string;
  /** Id of this run, so that no other one does the same. */
  worker: string;
  /** Milliseconds. */
  now: () => number;
  /** How long a worker that dies holds up the others. Longer than any page takes. */
  leaseMs?: number;
}>;

/** Texts that are embedded and stored together. */
const PAGE = 64;
const LEASE_MS = 60_000;

/**
 * A pass that found something is followed by another one, as memories are stored and edited meanwhile. One that took
 * no longer than this is good enough: what it missed is as fresh as vectors that are still to follow anyway.
 */
const SHORT_PASS_SECONDS = 60;

/**
 * Builds the vectors of a model that is not in use yet, beside those in use: all current memories, what else has a
 * vector of the model in use (for searches at an earlier time), and the chunks of documents. How far it has come is in
 * the database: whoever runs it next goes on there, and only one worker is at it at a time.
 *
 * Rejects with what the embedder and the database throw, and the signal's reason; nothing is lost then.
 */
export async function buildVectors(
  deps: BuildDeps,
  untilMs: number,
  signal: AbortSignal,
): Promise<BuildOutcome> {
  const { database, model, worker, leaseMs = LEASE_MS } = deps;
  await beginEmbeddingBuild(database, model);
  let at = await takeEmbeddingBuild(database, model, worker, leaseMs);
  if (at === undefined) return 'elsewhere';
  try {
    const active = await findActiveEmbeddingModel(database);
    const target = { model, likeModel: active?.id ?? null, tenantId: null };
    if (at.pass === 1 && at.stage === 'memories' && at.position === FIRST_ID) {
      const counts = await countVectors(database, target);
      const total = counts.memories + counts.chunks;
      const done = total - counts.memoriesLacking - counts.chunksLacking;
      await noteBuildProgress(database, model, { done, total });
    }
    for (;;) {
      signal.throwIfAborted();
      const { stage, position } = at;
      const { lacking, next } = await listLackingVectors(database, target, stage, {
        after: position,
        limit: PAGE,
      });
      const { vectors, refused } = await embedLacking(deps, stage, lacking, signal);
      if (vectors.length > 0) await saveBuiltVectors(database, model, stage, vectors);
      const found = vectors.length + refused;
      const isOver = isComplete({ ...at, found: at.found + found }, next);
      at = await advanceEmbeddingBuild(
        database,
        { model, worker, leaseMs },
        { ...following(at, next), found },
      );
      // Who comes after the end begins a new pass, for what has come since.
      if (isOver) return 'built';
      // Too slow for the lease: another worker has it now.
      if (at === undefined) return 'elsewhere';
      if (deps.now() >= untilMs) return 'more';
    }
  } finally {
    await releaseEmbeddingBuild(database, model, worker).catch(() => undefined);
  }
}

/** Whether the last page of a pass makes the vectors complete. */
function isComplete(at: BuildPosition, next: string | null): boolean {
  if (at.stage !== 'chunks' || next !== null) return false;
  return at.found === 0 || (at.pass > 1 && at.passSeconds < SHORT_PASS_SECONDS);
}

function following(
  { stage }: BuildPosition,
  next: string | null,
): { stage: 'memories' | 'chunks'; position: string; newPass: boolean } {
  if (next !== null) return { stage, position: next, newPass: false };
  return stage === 'memories'
    ? { stage: 'chunks', position: FIRST_ID, newPass: false }
    : { stage: 'memories', position: FIRST_ID, newPass: true };
}
