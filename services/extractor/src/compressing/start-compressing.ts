import type { Config } from '@factmill/config';
import { type DatabasePool, renewRunLeases } from '@factmill/database';
import type { Prompts } from '@factmill/extraction';
import type { ChatModel } from '@factmill/models';
import {
  createWorker,
  type JobOutcome,
  type QueueConfig,
  type Queues,
  type QueueWorker,
} from '@factmill/queue';
import type { Logger } from '@factmill/telemetry';
import { setTimeout as delay } from 'node:timers/promises';
import { createLeases, LEASE_MS } from '../extracting/leases.ts';
import type { ProviderWatch } from '../extracting/provider-watch.ts';
import { createAnswerSteps } from './answer-steps.ts';
import { createCompressMemories } from './compress-memories.ts';
import { createCompressionClock } from './compression-clock.ts';
import { createDuePeriods } from './due-periods.ts';
import { createMakePlan } from './make-plan.ts';
import { createProcessCompression } from './process-compression.ts';

export type CompressingDeps = Readonly<{
  config: Config;
  logger: Logger;
  database: DatabasePool;
  queues: Queues;
  queueConfig: QueueConfig;
  /** Null when no model is configured: then repetitions collapse, and that is all. */
  model: ChatModel | null;
  prompts: Prompts;
  watch: ProviderWatch;
  wantsEmbedding: boolean;
  embedLater: (tenantId: string, memoryIds: readonly string[]) => Promise<void>;
  newId: () => string;
}>;

export type Compressing = Readonly<{
  worker: QueueWorker;
  /** The `compress-due` job. */
  runDue: (signal: AbortSignal) => Promise<JobOutcome>;
  /** Takes no more runs and gives those under way `graceMs`. */
  closeWorker: (graceMs: number) => Promise<void>;
  /** Aborts what still runs and hands it back. */
  close: () => Promise<void>;
}>;

/** Compression shares the model with extraction, which has people waiting: so many of its places, one at least. */
const SHARE_OF_CONCURRENCY = 1 / 4;

/** The schedules are looked at every so many sweeps. */
const SWEEPS_PER_ROUND = 5;

/** The part of the extractor that compresses: its worker, and the clock that keeps it going. */
export async function startCompressing(deps: CompressingDeps): Promise<Compressing> {
  const { config, database, logger, newId, queues, watch } = deps;
  const now = () => new Date();
  const leases = createLeases({ renew: (claims) => renewRunLeases(database, claims, LEASE_MS) });
  const compressing = createProcessCompression({
    database,
    config: config.extractor,
    leases,
    watch,
    compressMemories: createCompressMemories({
      database,
      makePlan: createMakePlan({ database, asksModel: deps.model !== null, now }),
      answerSteps: createAnswerSteps({
        database,
        model: deps.model,
        prompts: deps.prompts,
        watch,
        now: () => Math.round(performance.now()),
        wait: (ms, signal) => delay(ms, undefined, { signal }),
      }),
      embedLater: deps.embedLater,
      newId,
      now,
      wantsEmbedding: deps.wantsEmbedding,
    }),
    workerId: newId(),
    logger,
    random: Math.random,
  });
  const duePeriods = createDuePeriods({
    database,
    queues,
    config: config.extractor.compression,
    timeZone: config.timeZone,
    newId,
    now,
  });
  const worker = await createWorker(deps.queueConfig, {
    queue: 'compression',
    concurrency: Math.max(1, Math.floor(config.extractor.concurrency * SHARE_OF_CONCURRENCY)),
    handler: (job, context) => compressing.process(job.data, context),
    logger,
    clock: Date.now,
    random: Math.random,
  });
  const clock = createCompressionClock({
    database,
    queues,
    duePeriods,
    config: config.extractor.compression,
    timeZone: config.timeZone,
    intervalMs: config.extractor.sweepIntervalMs * SWEEPS_PER_ROUND,
    graceMs: config.extractor.sweepGraceMs,
    logger,
  });
  return {
    worker,
    runDue: duePeriods.run,
    closeWorker: async (graceMs) => {
      compressing.takeNoMore();
      await Promise.all([clock.close(), worker.close({ graceMs })]);
    },
    close: async () => {
      await compressing.close();
      leases.close();
    },
  };
}
