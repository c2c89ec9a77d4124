import {
  advanceEmbeddingBuild,
  beginEmbeddingBuild,
  type BuildPosition,
  countVectors,
  findActiveEmbeddingModel,
  FIRST_ID,
  listMissingVectors,
  noteBuildProgress,
  releaseEmbeddingBuild,
  saveBuiltVectors,
  type Sql,
  takeEmbeddingBuild,
} from '@factmill/database';
import type { Embedder } from '@factmill/models';
import { embedMissing } from './embed-missing.ts';

/** built: nothing is missing; elsewhere: another worker builds; more: the time is over. */
export type BuildOutcome = 'built' | 'elsewhere' | 'more';

export type BuildDeps = Readonly<{
  database: Sql;
  embedder: Embedder;
  /** Model of the embedder; already registered. */
  model: string;
  /** Id of this run; only one run builds at a time. */
  worker: string;
  /** Milliseconds. */
  now: () => number;
  /** How long a dead worker blocks the others. Longer than any page takes. */
  leaseMs?: number;
}>;

/** Texts per call of the embedder and per statement. */
const PAGE = 64;
const LEASE_MS = 60_000;

/**
 * Memories change while a pass runs, so a pass that found missing vectors is followed by another. A pass this short
 * is enough: the few vectors it missed are made by the usual job.
 */
const SHORT_PASS_SECONDS = 60;

/**
 * Builds the vectors of a model that is not in use yet, beside those in use: for all current memories, for other
 * memories with a vector of the model in use (searches at an earlier time need them), and for document chunks. The
 * position is in the database: the next worker continues there, and only one works at a time.
 *
 * Rejects with errors of the embedder and the database and with the signal's reason; nothing is lost then.
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
      const done = total - counts.memoriesToEmbed - counts.chunksToEmbed;
      await noteBuildProgress(database, model, { done, total });
    }
    for (;;) {
      signal.throwIfAborted();
      const { stage, position } = at;
      const { missing, next } = await listMissingVectors(database, target, stage, {
        after: position,
        limit: PAGE,
      });
      const { vectors, refused } = await embedMissing(deps, stage, missing, signal);
      if (vectors.length > 0) await saveBuiltVectors(database, model, stage, vectors);
      const found = vectors.length + refused;
      const isOver = isComplete({ ...at, found: at.found + found }, next);
      at = await advanceEmbeddingBuild(
        database,
        { model, worker, leaseMs },
        { ...following(at, next), found },
      );
      // A worker that arrives after the last page starts another pass for rows added meanwhile.
      if (isOver) return 'built';
      // This worker was too slow for its lease: another one has it now.
      if (at === undefined) return 'elsewhere';
      if (deps.now() >= untilMs) return 'more';
    }
  } finally {
    await releaseEmbeddingBuild(database, model, worker).catch(() => undefined);
  }
}

/** Whether the vectors are complete after the last page of a pass. */
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
