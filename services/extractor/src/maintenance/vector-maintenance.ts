import type { ChangeSignal } from '@factmill/async';
import type { EmbeddingConfig } from '@factmill/config';
import {
  activateEmbeddingModel,
  type BuildProgress,
  findActiveEmbeddingModel,
  hasCurrentMemory,
  listEmbeddingBuilds,
  type Sql,
} from '@factmill/database';
import { isAppError } from '@factmill/errors';
import type { Embedder } from '@factmill/models';
import type { JobOutcome } from '@factmill/queue';
import { createCounter, type Logger } from '@factmill/telemetry';
import {
  buildVectors,
  checkVectors,
  IN_USE_FOR_MS,
  type ModelsInUse,
  registerConfigured,
} from '@factmill/vectors';

/** A run ends after this long and goes on as a new one, so that other jobs of the queue get their turn. */
const RUN_MS = 5_000;
const REST_MS = 50;
/** How often an endpoint is asked what the size of its vectors is. */
const ASK_EVERY_MS = 10_000;
/** After a switch: once when all processes have noticed, and once when extractions in work then have ended. */
const CHECKS_AFTER_SWITCH_MS = [IN_USE_FOR_MS + 500, 60_000];

export type VectorMaintenanceDeps = Readonly<{
  database: Sql;
  config: EmbeddingConfig;
  /** Of the configured model. */
  embedder: Embedder;
  models: ModelsInUse;
  logger: Logger;
  newId: () => string;
  /** Milliseconds. */
  now: () => number;
  signal: ChangeSignal | null;
}>;

export type VectorMaintenance = Readonly<{
  /** Whether the configured model is not in use yet and its vectors are to be built. */
  isBuilding: () => Promise<boolean>;
  /** The part of the `embed` job that builds them, and has the model be in use when they are complete (B9). */
  build: (signal: AbortSignal) => Promise<JobOutcome>;
  /** Finds memories and chunks whose vector is missing or stale (B8). */
  check: (signal: AbortSignal) => Promise<void>;
  /** How far builds were when this process last looked. */
  progress: () => readonly BuildProgress[];
  close: () => Promise<void>;
}>;

/** Keeps the vectors right: checks them at the start, and builds those of a newly configured model. */
export function createVectorMaintenance(deps: VectorMaintenanceDeps): VectorMaintenance {
  const { database, embedder, logger } = deps;
  const countFound = createCounter(
    'factmill_vectors_repaired_total',
    'Memories and chunks found without a vector of their text, to be embedded',
    [{}],
  );
  const closing = new AbortController();
  const timers = new Set<NodeJS.Timeout>();
  const running = new Set<Promise<unknown>>();
  let askAgainAt = -Infinity;
  let hasWarned = false;
  let builds: readonly BuildProgress[] = [];
  if (deps.config.provider !== 'none') checkIn(0);

  function checkIn(ms: number): void {
    const timer = setTimeout(() => {
      timers.delete(timer);
      const run = check(closing.signal).finally(() => running.delete(run));
      running.add(run);
    }, ms);
    timers.add(timer);
  }

  async function check(signal: AbortSignal): Promise<void> {
    try {
      await findAndMark(signal);
    } catch (error) {
      // The next one makes up for it, within the hour; the database being away shows in readiness.
      logger.debug({ code: isAppError(error) ? error.code : 'internal' }, 'vectors could not be checked');
    }
  }

  async function findAndMark(signal: AbortSignal): Promise<void> {
    const inUse = await deps.models.inUse();
    // The vectors of an incomplete model are built, all of them.
    if (deps.config.provider === 'none' || !inUse.isComplete) return;
    let active = await findActiveEmbeddingModel(database);
    if (active === undefined && (await hasCurrentMemory(database))) {
      // Embedding was turned on after memories had been stored without.
      await registerConfigured({ database, config: deps.config, configured: embedder }, signal);
      active = await findActiveEmbeddingModel(database);
    }
    if (active === undefined) return;
    const found = await checkVectors(database, active.id, signal);
    if (found > 0) {
      countFound(found);
      deps.signal?.changed();
      logger.info({ found }, 'vectors are missing or stale and will follow');
    }
  }

  async function isBuilding(): Promise<boolean> {
    if (deps.config.provider === 'none') return false;
    const inUse = await deps.models.inUse();
    if (inUse.embedder === embedder && inUse.isComplete) {
      builds = [];
      return false;
    }
    if (embedder.profile === null && deps.now() < askAgainAt) return false;
    askAgainAt = deps.now() + ASK_EVERY_MS;
    const registered = await registerConfigured({ database, config: deps.config, configured: embedder });
    if (registered?.state === 'retired' && !hasWarned) {
      hasWarned = true;
      logger.warn('the configured embedding model was replaced; `factmill reembed` brings it back into use');
    }
    builds = await listEmbeddingBuilds(database);
    return registered?.state === 'building';
  }

  async function build(signal: AbortSignal): Promise<JobOutcome> {
    try {
      if (!(await isBuilding())) return { kind: 'done', counts: { built: 0 } };
      const model = embedder.profile?.id ?? '';
      const untilMs = deps.now() + RUN_MS;
      const worker = deps.newId();
      const outcome = await buildVectors(
        { database, embedder, model, worker, now: deps.now },
        untilMs,
        signal,
      );
      builds = await listEmbeddingBuilds(database);
      if (outcome === 'more') return { kind: 'delay', ms: REST_MS };
      if (outcome === 'built' && (await activateEmbeddingModel(database, model))) {
        logger.info('the configured embedding model is in use now');
        builds = [];
        for (const ms of CHECKS_AFTER_SWITCH_MS) checkIn(ms);
      }
      return { kind: 'done', counts: { built: outcome === 'built' ? 1 : 0 } };
    } catch (error) {
      if (signal.aborted || !isAppError(error)) throw error;
      logger.warn({ code: error.code }, 'vectors of the configured model cannot be built now');
      return { kind: 'done', counts: { unavailable: 1 } };
    }
  }

  return {
    isBuilding,
    build,
    check,
    progress: () => builds,
    async close() {
      closing.abort();
      for (const timer of timers) clearTimeout(timer);
      await Promise.all(running);
    },
  };
}
