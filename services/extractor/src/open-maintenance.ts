import { type Repeated, settlesWithin } from '@factmill/async';
import { DEFAULT_TENANT_ID, findDropped, readSettings } from '@factmill/database';
import { scheduleOf } from '@factmill/extraction';
import {
  createEnqueueAccepted,
  createFindDropped,
  createQueueLimits,
  createWorker,
  type Job,
  type JobOutcome,
  type QueueWorker,
} from '@factmill/queue';
import { v7 as uuidv7 } from 'uuid';
import type { ExtractorDeps } from './extractor-deps.ts';
import { createEmbedAll } from './maintenance/embed-all.ts';
import { createEmbedPending } from './maintenance/embed-pending.ts';
import { createEmbedTaken } from './maintenance/embed-taken.ts';
import { createEraseJob } from './maintenance/erase-job.ts';
import { createIndexTurns } from './maintenance/index-turns.ts';
import { createPurgeJob } from './maintenance/purge-job.ts';
import { createRetain } from './maintenance/retain.ts';
import { createScheduler, SCHEDULE_INTERVAL_MS } from './maintenance/scheduler.ts';
import { createSweeper, type Sweeper } from './maintenance/sweeper.ts';
import { createTableMaintenance } from './maintenance/table-maintenance.ts';
import { WAITING_CHUNKS, WAITING_TURNS } from './maintenance/waiting-texts.ts';
import { createVectorMaintenance, type VectorMaintenance } from './maintenance/vector-maintenance.ts';
import type { Providers } from './open-providers.ts';
import type { Part } from './shutdown.ts';

/** What keeps vectors right, beside the jobs that are asked for. */
export type VectorMaintenancePart = Part & Readonly<{ vectors: VectorMaintenance }>;

export type Maintenance = Part & Readonly<{ worker: QueueWorker }>;

const CONCURRENCY = 2;
const GRACE_MS = 500;

const monotonicMs = () => Math.round(performance.now());

export function openVectorMaintenance(
  { config, database, embedder, logger, signal }: ExtractorDeps,
  { models }: Pick<Providers, 'models'>,
): VectorMaintenancePart {
  const vectors = createVectorMaintenance({
    database,
    config: config.embedding,
    embedder,
    models,
    logger,
    newId: () => uuidv7(),
    now: monotonicMs,
    signal,
  });
  return { vectors, abort: () => vectors.close() };
}

export type MaintenanceParts = Readonly<{
  providers: Providers;
  vectorMaintenance: VectorMaintenancePart;
  /** The `compress-due` job. */
  runDueCompressions: (signal: AbortSignal) => Promise<JobOutcome>;
}>;

/**
 * What has to be done again and again: the worker of the maintenance queue (vectors, purge, compressions that are due),
 * the sweeper, the scheduler, and the statistics of tables.
 */
export async function openMaintenance(deps: ExtractorDeps, parts: MaintenanceParts): Promise<Maintenance> {
  const { config, database, isEmbedded, logger } = deps;
  const { embedTexts } = parts.providers;
  const { vectors } = parts.vectorMaintenance;
  const taken = { database, embedTexts, logger, now: monotonicMs };
  const embedAll = createEmbedAll({
    indexTurns: openIndexTurns(deps),
    embedPending: createEmbedPending({ database, embedTexts, logger }),
    embedChunks: createEmbedTaken({ ...taken, waiting: WAITING_CHUNKS }),
    embedTurns: createEmbedTaken({ ...taken, waiting: WAITING_TURNS }),
    build: vectors.build,
  });
  const purgeJob = createPurgeJob({
    database,
    deletedRetentionDays: config.extractor.deletedRetentionDays,
    eventRetentionDays: config.events.retentionDays,
  });
  const erase = createEraseJob({ database });
  const retain = createRetain({ database });
  async function run(job: Job<'maintenance'>, signal: AbortSignal): Promise<JobOutcome> {
    if (job.name === 'embed') return embedAll(job.data, signal);
    if (job.name === 'erase') return erase(job.data, signal);
    if (job.name === 'compress-due') return parts.runDueCompressions(signal);
    const purged = await purgeJob(signal);
    await retain(signal);
    await vectors.check(signal);
    return purged;
  }
  const worker = await createWorker(deps.queueConfig, {
    queue: 'maintenance',
    concurrency: CONCURRENCY,
    handler: async (job, { signal }) => {
      if (job.name === 'heartbeat') return { kind: 'done' };
      try {
        return await run(job, signal);
      } finally {
        deps.signal?.changed();
      }
    },
    logger,
    clock: Date.now,
    random: Math.random,
  });
  const timers = [
    createTableMaintenance({
      // Only the owner of a table may vacuum it.
      database: isEmbedded ? database.as('login') : database,
      isEmbedded,
      logger,
      signal: deps.signal,
    }),
    openSweeper(deps, vectors),
    openScheduler(deps),
  ];
  return {
    worker,
    drain: () =>
      Promise.all([
        worker.close({ graceMs: GRACE_MS }),
        ...timers.map((timer) => settlesWithin(timer.close(), GRACE_MS)),
      ]),
  };
}

/** So that other jobs of the queue get their turn; the sweeper asks for the rest. */
const INDEX_FOR_MS = 5_000;

function openIndexTurns({ config, database }: ExtractorDeps): (signal: AbortSignal) => Promise<void> {
  const wantsVectors = config.embedding.provider !== 'none';
  const indexTurns = createIndexTurns({ database, wantsVectors, newId: () => uuidv7() });
  return async (signal) => {
    if (!config.searchTurns) return;
    const endAt = monotonicMs() + INDEX_FOR_MS;
    await indexTurns(signal, () => monotonicMs() >= endAt);
  };
}

function openSweeper(
  { config, database, logger, queues, signal }: ExtractorDeps,
  { isBuilding }: VectorMaintenance,
): Sweeper {
  return createSweeper({
    database,
    queues,
    logger,
    intervalMs: config.extractor.sweepIntervalMs,
    graceMs: config.extractor.sweepGraceMs,
    defaultTenantId: DEFAULT_TENANT_ID,
    wantsEmbedding: config.embedding.provider !== 'none',
    indexesTurns: config.searchTurns,
    isBuilding,
    signal,
    now: Date.now,
  });
}

function openScheduler({ database, queues, config, logger, signal }: ExtractorDeps): Repeated {
  const limits = createQueueLimits({
    readSettings: () => readSettings(database),
    configured: config.scheduling.limits,
    now: Date.now,
  });
  return createScheduler({
    database,
    logger,
    intervalMs: SCHEDULE_INTERVAL_MS,
    schedule: scheduleOf({ ...config.scheduling, timeZone: config.timeZone }),
    limits,
    signal,
    enqueueAccepted: createEnqueueAccepted({
      queues,
      logger,
      findDropped: createFindDropped(limits, (extractions) => findDropped(database, extractions)),
    }),
  });
}
