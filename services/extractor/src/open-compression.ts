import { asTenant, compressionClaims } from '@factmill/database';
import type { Prompts } from '@factmill/extraction';
import { createWorker, type JobOutcome, type QueueWorker } from '@factmill/queue';
import { setTimeout as delay } from 'node:timers/promises';
import { v7 as uuidv7 } from 'uuid';
import { createAnswerSteps } from './compressing/answer-steps.ts';
import { createCompressMemories } from './compressing/compress-memories.ts';
import { createCompressionClock } from './compressing/compression-clock.ts';
import { createCompressionRuns } from './compressing/compression-runs.ts';
import { createDuePeriods } from './compressing/due-periods.ts';
import { createMakePlan } from './compressing/make-plan.ts';
import type { ExtractorDeps } from './extractor-deps.ts';
import type { EmbedLater } from './maintenance/embed-later.ts';
import type { Providers } from './open-providers.ts';
import { openReplays } from './open-replays.ts';
import { createBillChatModel } from './providers/billed-chat-model.ts';
import { createLeases, LEASE_MS } from './runs/leases.ts';
import type { Part } from './shutdown.ts';

export type Compression = Part &
  Readonly<{
    worker: QueueWorker;
    /** The `compress-due` job. */
    runDue: (signal: AbortSignal) => Promise<JobOutcome>;
  }>;

export type CompressionParts = Readonly<{ providers: Providers; prompts: Prompts; embedLater: EmbedLater }>;

/**
 * Compression shares the model with extraction, which is more urgent: it gets this share of the slots, at least one.
 */
const SHARE_OF_CONCURRENCY = 1 / 4;

/** The schedules are checked once per this many sweeps. */
const SWEEPS_PER_ROUND = 5;

/** The worker of the compression queue, for compressions and shadow replays, and the clock that requests what is due. */
export async function openCompression(deps: ExtractorDeps, parts: CompressionParts): Promise<Compression> {
  const { config, database, logger, queues } = deps;
  const { compression, concurrency, sweepGraceMs, sweepIntervalMs } = config.extractor;
  const leases = createLeases({
    renew: (claims) => compressionClaims.renewLeases(database, claims, LEASE_MS),
  });
  const runs = createCompressionRuns({
    database,
    config: config.extractor,
    leases,
    breaker: parts.providers.breaker,
    compressMemories: compressMemoriesOf(deps, parts),
    workerId: uuidv7(),
    logger,
    random: Math.random,
  });
  const replays = openReplays(deps, parts);
  const duePeriods = createDuePeriods({
    database,
    queues,
    config: compression,
    timeZone: config.timeZone,
    newId: () => uuidv7(),
    now: () => new Date(),
  });
  const worker = await createWorker(deps.queueConfig, {
    queue: 'compression',
    concurrency: Math.max(1, Math.floor(concurrency * SHARE_OF_CONCURRENCY)),
    handler: ({ name, data: { runId, tenantId } }, context) => {
      const { process } = name === 'replay' ? replays : runs;
      return asTenant(tenantId, () => process({ id: runId, tenantId }, context)).finally(
        deps.signal?.changed,
      );
    },
    logger,
    clock: Date.now,
    random: Math.random,
  });
  const clock = createCompressionClock({
    database,
    queues,
    duePeriods,
    putBackReplays: replays.putBack,
    config: compression,
    timeZone: config.timeZone,
    intervalMs: sweepIntervalMs * SWEEPS_PER_ROUND,
    graceMs: sweepGraceMs,
    logger,
    signal: deps.signal,
  });
  return {
    worker,
    runDue: duePeriods.run,
    drain: () => {
      runs.drain();
      replays.drain();
      return Promise.all([clock.close(), worker.close({ graceMs: config.shutdownGraceMs })]);
    },
    abort: () => Promise.all([runs.abort(), replays.abort()]),
    release: () => {
      leases.close();
      replays.release();
    },
  };
}

function compressMemoriesOf(
  { config, database: ofAll }: ExtractorDeps,
  { providers: { breaker, chat, meter, usage }, prompts, embedLater }: CompressionParts,
): ReturnType<typeof createCompressMemories> {
  const database = ofAll.as('tenant');
  const now = () => new Date();
  return createCompressMemories({
    database,
    makePlan: createMakePlan({ database, asksModel: chat !== null, now }),
    answerSteps: createAnswerSteps({
      database,
      model: chat && meter(chat.model, 'compression'),
      bill: createBillChatModel(usage),
      prompts,
      breaker,
      now: () => Math.round(performance.now()),
      wait: (ms, signal) => delay(ms, undefined, { signal }),
    }),
    embedLater,
    newId: () => uuidv7(),
    now,
    wantsEmbedding: config.embedding.provider !== 'none',
  });
}
