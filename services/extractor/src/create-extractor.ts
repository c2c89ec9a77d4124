import type { Config } from '@factmill/config';
import { type DatabasePool, DEFAULT_TENANT_ID, findDropped, renewLeases } from '@factmill/database';
import { scheduleOf } from '@factmill/extraction';
import { createHttpApp, listen } from '@factmill/http';
import type { ChatModel, Embedder } from '@factmill/models';
import { createWorker, type QueueConfig, type Queues } from '@factmill/queue';
import {
  createClosers,
  createEnqueueAccepted,
  createQueueLimits,
  createReadiness,
  VERSION,
} from '@factmill/runtime';
import type { Logger, Telemetry } from '@factmill/telemetry';
import { createModelsInUse, registerConfigured } from '@factmill/vectors';
import { setTimeout as delay } from 'node:timers/promises';
import { v7 as uuidv7 } from 'uuid';
import { startCompressing } from './compressing/start-compressing.ts';
import { createApplyAnswer } from './extracting/apply-answer.ts';
import { checkEmbedding } from './extracting/check-embedding.ts';
import { createContextDocuments } from './extracting/context-documents.ts';
import { createEmbedTexts, embedOrLater } from './extracting/embed-candidates.ts';
import { createExtractMemories, KNOWN_MEMORY_LIMIT } from './extracting/extract-memories.ts';
import { guardChatModel } from './extracting/guard-chat-model.ts';
import { createKnownContext } from './extracting/known-context.ts';
import { createLeases, LEASE_MS } from './extracting/leases.ts';
import { openChatModel } from './extracting/open-chat-model.ts';
import { createObtainAnswer } from './extracting/obtain-answer.ts';
import { createObtainRest } from './extracting/obtain-rest.ts';
import { createPinnedCalls } from './extracting/pinned-calls.ts';
import { createProcessExtraction } from './extracting/process-extraction.ts';
import { createProviderBreaker, type ProviderBreaker, providerName } from './extracting/provider-breaker.ts';
import { createProviderHealth } from './extracting/provider-health.ts';
import { createProviderWatch } from './extracting/provider-watch.ts';
import { createChatProvider, createExtractiveProvider } from './extracting/providers.ts';
import { createReconcileCandidates } from './extracting/reconcile-candidates.ts';
import { createSettleFailure } from './extracting/settle-failure.ts';
import { addGauges } from './gauges.ts';
import { createEmbedAll } from './maintenance/embed-all.ts';
import { createEmbedChunks } from './maintenance/embed-chunks.ts';
import { createEmbedPending } from './maintenance/embed-pending.ts';
import { createPurgeJob } from './maintenance/purge-job.ts';
import { createScheduler, SCHEDULE_INTERVAL_MS, type Scheduler } from './maintenance/scheduler.ts';
import { createSweeper } from './maintenance/sweeper.ts';
import { createDistanceIndexes } from './maintenance/distance-indexes.ts';
import { createTableUpkeep } from './maintenance/table-upkeep.ts';
import { createVectorUpkeep } from './maintenance/vector-upkeep.ts';
import { createModelMeter } from './metered-chat-model.ts';
import { loadPrompts } from './prompts/load-prompts.ts';
import { settlesWithin } from '@factmill/async';
import { createRefreshSummary } from './summarising/refresh-summary.ts';
import { createSummariser } from './summarising/summariser.ts';
import { createWriteSummary } from './summarising/write-summary.ts';

export type ExtractorDeps = Readonly<{
  /** Of the database, for work that takes longer than a statement may; null on embedded storage. */
  connectionString: string | null;
  config: Config;
  logger: Logger;
  telemetry: Telemetry;
  database: DatabasePool;
  queueConfig: QueueConfig;
  queues: Queues;
  embedder: Embedder;
}>;

export type Extractor = Readonly<{ url: string; port: number; close: () => Promise<void> }>;

/** A worker that has taken nothing for this long while work waits and it has room is stuck. */
const STUCK_AFTER_MS = 60_000;
const MAINTENANCE_CONCURRENCY = 2;
const MAINTENANCE_GRACE_MS = 500;

/** Few, so that extractions have the model to themselves. */
const SUMMARY_CONCURRENCY = 2;
/** On top of the model's time limit: reading, writing, and clocks that stand still for a while. */
const SUMMARY_LEASE_MARGIN_MS = 30_000;

/** How long runs that the queue has given up get to release their extraction. */
const HAND_BACK_MS = 500;

/**
 * The workers: extraction, vectors, maintenance and the sweeper, with a port for health and metrics. Takes jobs
 * as soon as the promise resolves. Database, queues and embedder belong to the caller.
 */
export async function createExtractor(deps: ExtractorDeps): Promise<Extractor> {
  const { config, logger, database, queues } = deps;
  const closers = createClosers();
  try {
    return await build(deps, closers, database, queues, logger, config);
  } catch (error) {
    await closers.close().catch(() => undefined);
    throw error;
  }
}

async function build(
  deps: ExtractorDeps,
  closers: ReturnType<typeof createClosers>,
  database: DatabasePool,
  queues: Queues,
  logger: Logger,
  config: Config,
): Promise<Extractor> {
  const prompts = await loadPrompts(config.extractor.promptsDir);
  const newId = () => uuidv7();
  const wantsEmbedding = config.embedding.provider !== 'none';
  const embedding = { database, config: config.embedding, configured: deps.embedder };
  const models = closers.add(createModelsInUse({ ...embedding, now: Date.now }));
  const breakerDeps = {
    database,
    logger,
    now: Date.now,
    probeIntervalMs: config.extractor.probeIntervalMs,
  };
  let embeddingFits = true;
  const embedTexts = wantsEmbedding
    ? createEmbedTexts({
        models,
        database,
        breaker:
          config.embedding.provider === 'openai'
            ? createProviderBreaker(providerName('embedding', config.embedding.baseUrl), breakerDeps)
            : null,
        onMismatch: (error) => {
          embeddingFits = error === null;
          if (error !== null) logger.error({ code: error.code }, error.message);
        },
        now: Date.now,
      })
    : null;
  const chatModel =
    config.extractor.chatModel === null
      ? null
      : closers.add(openChatModel(config.extractor.chatModel, logger));
  // A search asks the model only when it is registered: so that the first one of a new installation is complete too.
  if (deps.embedder.profile !== null) await registerConfigured(embedding);
  const breaker =
    config.extractor.chatModel === null
      ? null
      : createProviderBreaker(providerName('llm', config.extractor.chatModel.baseUrl), {
          ...breakerDeps,
          onClosed: async () => {
            await Promise.all([queues.resume('extraction'), queues.resume('compression')]);
          },
        });
  const guarded = chatModel === null || breaker === null ? null : guardChatModel(chatModel, breaker);
  const metered = createModelMeter();
  const toProvider = (model: ChatModel) =>
    createChatProvider(
      { extraction: metered(model, 'extraction'), reconcile: metered(model, 'reconcile') },
      prompts,
    );
  const provider = chatModel === null ? createExtractiveProvider() : toProvider(chatModel);
  // For what follows the first call of an extraction, which its claim has asked the breaker for.
  const further = guarded === null ? provider : toProvider(guarded);
  if (embedTexts !== null && config.embedding.provider === 'openai')
    closers.add(checkEmbedding(embedTexts, logger));
  const watch = createProviderWatch({ health: createProviderHealth(), breaker, logger });
  const leases = closers.add(createLeases({ renew: (claims) => renewLeases(database, claims, LEASE_MS) }));

  const embedLater = async (tenantId: string, memoryIds: readonly string[]) => {
    try {
      await queues.enqueue([
        {
          name: 'embed',
          data: { tenantId, memoryIds: memoryIds.slice(0, 1_000) },
          jobId: `embed-${newId()}`,
        },
      ]);
    } catch {
      // The sweeper asks for vectors that are missing.
    }
  };
  const now = () => Math.round(performance.now());
  const date = () => new Date();
  const calls = createPinnedCalls({
    database,
    provider: provider.name,
    now,
    wait: (ms, signal) => delay(ms, undefined, { signal }),
    answered: (claim) => watch.answered(claim),
  });
  const extracting = createProcessExtraction({
    database,
    leases,
    watch,
    extractMemories: createExtractMemories({
      database,
      loadKnown: createKnownContext({ database, embedTexts, logger }),
      contextDocuments: createContextDocuments({
        database,
        embedTexts,
        isPrompted: provider.wantsKnown,
        logger,
      }),
      obtainAnswer: createObtainAnswer({ provider, calls }),
      obtainRest: createObtainRest({ provider: further, calls }),
      embedTexts,
      applyAnswer: createApplyAnswer({
        database,
        reconcile:
          provider.complete === null
            ? null
            : createReconcileCandidates({ database, provider: further, prompts, calls }),
        embed: async (texts, signal) =>
          embedTexts === null ? null : embedOrLater(embedTexts, texts, signal, logger),
        newId,
        date,
      }),
      embedLater,
      logger,
      now: date,
    }),
    settleFailure: createSettleFailure({
      database,
      config: config.extractor,
      watch,
      logger,
      random: Math.random,
    }),
    workerId: newId(),
    knownMemoryLimit: provider.wantsKnown ? KNOWN_MEMORY_LIMIT : 0,
    logger,
    random: Math.random,
  });
  closers.add({ close: () => settlesWithin(extracting.close(), HAND_BACK_MS) });
  const compressing = await startCompressing({
    config,
    logger,
    database,
    queues,
    queueConfig: deps.queueConfig,
    model: chatModel && metered(chatModel, 'compression'),
    prompts,
    watch,
    wantsEmbedding,
    embedLater,
    newId,
  });
  closers.add({ close: () => settlesWithin(compressing.close(), HAND_BACK_MS) });
  const upkeep = createVectorUpkeep({
    database,
    config: config.embedding,
    embedder: deps.embedder,
    models,
    logger,
    newId,
    now,
  });
  closers.add({ close: () => settlesWithin(upkeep.close(), HAND_BACK_MS) });
  const indexes = createDistanceIndexes({ database, connectionString: deps.connectionString, logger });
  closers.add({ close: () => settlesWithin(indexes.close(), HAND_BACK_MS) });
  void indexes.look();
  const embedAll = createEmbedAll({
    embedPending: createEmbedPending({ database, embedTexts, logger }),
    embedChunks: createEmbedChunks({ database, embedTexts, logger, now }),
    build: upkeep.build,
  });
  const purgeJob = createPurgeJob({ database, deletedRetentionDays: config.extractor.deletedRetentionDays });

  // All stop taking work at once; the slowest of them decides how long that takes.
  const working: (() => Promise<unknown>)[] = [];
  closers.add({ close: () => Promise.all(working.map((close) => close())).then(() => undefined) });
  const common = { logger, clock: Date.now, random: Math.random };
  await resumeUnlessDown(breaker, queues);
  const extraction = await createWorker(deps.queueConfig, {
    ...common,
    queue: 'extraction',
    concurrency: config.extractor.concurrency,
    handler: (job, context) => extracting.process(job.data, context),
  });
  working.push(() => {
    extracting.takeNoMore();
    return extraction.close({ graceMs: config.shutdownGraceMs });
  });
  working.push(() => compressing.closeWorker(config.shutdownGraceMs));
  const maintenance = await createWorker(deps.queueConfig, {
    ...common,
    queue: 'maintenance',
    concurrency: MAINTENANCE_CONCURRENCY,
    handler: async (job, { signal }) => {
      if (job.name === 'embed') return embedAll(job.data, signal);
      if (job.name === 'purge') {
        const purged = await purgeJob(signal);
        await upkeep.check(signal);
        void indexes.look();
        return purged;
      }
      if (job.name === 'compress-due') return compressing.runDue(signal);
      return { kind: 'done' };
    },
  });
  working.push(() => maintenance.close({ graceMs: MAINTENANCE_GRACE_MS }));
  const tables = createTableUpkeep({ database, isEmbedded: deps.connectionString === null, logger });
  working.push(() => settlesWithin(tables.close(), MAINTENANCE_GRACE_MS));
  const sweeper = createSweeper({
    database,
    queues,
    logger,
    intervalMs: config.extractor.sweepIntervalMs,
    graceMs: config.extractor.sweepGraceMs,
    defaultTenantId: DEFAULT_TENANT_ID,
    wantsEmbedding,
    isBuilding: upkeep.isBuilding,
    now: Date.now,
  });
  working.push(() => settlesWithin(sweeper.close(), MAINTENANCE_GRACE_MS));
  const summariser = createSummariser({
    refreshSummary: createRefreshSummary({
      database,
      writeSummary: createWriteSummary({
        database,
        chatModel: chatModel && metered(chatModel, 'summary'),
        prompts,
        now: date,
      }),
      breaker,
      leaseMs: (config.extractor.chatModel?.timeoutMs ?? 0) + SUMMARY_LEASE_MARGIN_MS,
      policy: {
        kind: 'exponential',
        baseMs: config.extractor.retry.intervalMs,
        capMs: config.extractor.retry.maxIntervalMs,
      },
      logger,
      random: Math.random,
      now,
    }),
    concurrency: SUMMARY_CONCURRENCY,
    intervalMs: config.extractor.sweepIntervalMs,
    logger,
  });
  working.push(() => settlesWithin(summariser.close(), MAINTENANCE_GRACE_MS));
  const scheduler = openScheduler(deps);
  working.push(() => settlesWithin(scheduler.close(), MAINTENANCE_GRACE_MS));
  addGauges(database, closers);

  const workers = { extraction, compression: compressing.worker, maintenance };
  const app = createHttpApp({
    service: 'extractor',
    version: VERSION,
    logger,
    telemetry: deps.telemetry,
    maxBodyBytes: 1_024,
    browsers: config.browsers,
    health: {
      describe: () => ({
        extraction: chatModel === null ? 'extractive' : chatModel.name,
        embedding: config.embedding.provider,
        reembed: upkeep.progress().map(({ done, total, pass }) => ({ done, total, pass })),
        concurrency: config.extractor.concurrency,
      }),
      impaired: () => [
        ...(chatModel?.availability().kind === 'none' ? ['extraction_model'] : []),
        ...(embeddingFits ? [] : ['embedding_model']),
      ],
      liveness: async () => {
        const stuck = await Promise.all(
          (['extraction', 'compression', 'maintenance'] as const).map(async (queue) => {
            const oldestWaitingAgeMs = await queues.oldestWaitingAgeMs(queue).catch(() => 0);
            const question = { now: Date.now(), oldestWaitingAgeMs, thresholdMs: STUCK_AFTER_MS };
            return workers[queue].isStuck(question) ? [`worker_stuck:${queue}`] : [];
          }),
        );
        return stuck.flat();
      },
      readiness: createReadiness({
        database,
        also: {
          queue: async () => {
            await queues.ping();
            return true;
          },
        },
      }),
    },
    routes: () => undefined,
  });
  const server = await listen(app, {
    host: config.host,
    port: config.extractor.port,
    setting: 'EXTRACTOR_PORT',
  });
  closers.add({ close: () => server.close(0) });
  logger.info(
    { url: server.url, provider: provider.name, concurrency: config.extractor.concurrency },
    'extractor is working',
  );
  return { url: server.url, port: server.port, close: () => closers.close() };
}

/** A queue may still rest because of a provider that is not asked any more, or of an outage that is over. */
async function resumeUnlessDown(breaker: ProviderBreaker | null, queues: Queues): Promise<void> {
  try {
    if (breaker !== null && (await breaker.read()).isOpen) return;
    await Promise.all([queues.resume('extraction'), queues.resume('compression')]);
  } catch {
    // It goes on by itself, within half a minute.
  }
}

function openScheduler({ database, queues, config, logger }: ExtractorDeps): Scheduler {
  const limits = createQueueLimits({ database, configured: config.scheduling.limits, now: Date.now });
  return createScheduler({
    database,
    logger,
    intervalMs: SCHEDULE_INTERVAL_MS,
    schedule: scheduleOf({ ...config.scheduling, timeZone: config.timeZone }),
    limits,
    enqueueAccepted: createEnqueueAccepted({
      queues,
      logger,
      findDropped: async (ids) => {
        const { queueLimit, tenantQueueLimit } = await limits();
        return queueLimit === 0 && tenantQueueLimit === 0 ? [] : findDropped(database, ids);
      },
    }),
  });
}
