import {
  asTenant,
  extractionClaims,
  findRelevantMemories,
  listPinnedOutputs,
  saveOutput,
} from '@factmill/database';
import type { Prompts } from '@factmill/extraction';
import type { ChatModel } from '@factmill/models';
import { createWorker, type QueueWorker } from '@factmill/queue';
import { setTimeout as delay } from 'node:timers/promises';
import { v7 as uuidv7 } from 'uuid';
import type { ExtractorDeps } from './extractor-deps.ts';
import {
  createChatProvider,
  createExtractiveProvider,
  type Provider,
} from './extracting/answer-providers.ts';
import { createApplyAnswer, SERVED } from './extracting/apply-answer.ts';
import { createCallModel } from './extracting/call-model.ts';
import { createContinueTruncated } from './extracting/continue-truncated.ts';
import { createDropCovered } from './extracting/drop-covered.ts';
import { createExtractMemories, KNOWN_MEMORY_LIMIT } from './extracting/extract-memories.ts';
import { createExtractionRuns } from './extracting/extraction-runs.ts';
import { createExtractionSwitch, SWITCH_READ_EVERY_MS } from './extracting/extraction-switch.ts';
import { createKnownContext } from './extracting/known-context.ts';
import { createPinnedCalls, type PinnedCalls } from './extracting/pinned-calls.ts';
import { createPromptDocuments } from './extracting/prompt-documents.ts';
import { createReconcileCandidates } from './extracting/reconcile-candidates.ts';
import type { EmbedLater } from './maintenance/embed-later.ts';
import type { Providers } from './open-providers.ts';
import { guardChatModel } from './providers/breaker.ts';
import { embedOrLater } from './providers/embed-texts.ts';
import { createLeases, LEASE_MS } from './runs/leases.ts';
import type { Part } from './shutdown.ts';

export type Extraction = Part & Readonly<{ worker: QueueWorker; providerName: Provider['name'] }>;

export type ExtractionParts = Readonly<{ providers: Providers; prompts: Prompts; embedLater: EmbedLater }>;

/** The worker of the extraction queue with the parts of its runs. */
export async function openExtraction(deps: ExtractorDeps, parts: ExtractionParts): Promise<Extraction> {
  const { config, database, logger } = deps;
  const { providers } = parts;
  const { first, further } = answerProviders(parts, config.extractor.keepsOwnWords);
  const calls = createPinnedCalls({
    database: database.as('tenant'),
    saveOutput,
    usagePurpose: (purpose) => (purpose === 'reconcile' ? 'reconcile' : 'extraction'),
    provider: first.name,
    usage: first.isFree ? null : providers.usage,
    now: () => Math.round(performance.now()),
    wait: (ms, signal) => delay(ms, undefined, { signal }),
    answered: (extractionId) => providers.breaker.answered(extractionId),
  });
  const leases = createLeases({
    renew: (claims) => extractionClaims.renewLeases(database, claims, LEASE_MS),
  });
  const runs = createExtractionRuns({
    database,
    config: config.extractor,
    leases,
    breaker: providers.breaker,
    extractMemories: extractMemoriesOf(deps, parts, { first, further, calls }),
    workerId: uuidv7(),
    knownMemoryLimit: first.wantsKnown ? KNOWN_MEMORY_LIMIT : 0,
    logger,
    random: Math.random,
  });
  const isEnabled = createExtractionSwitch({
    database,
    configured: config.extractor.enabled,
    now: () => performance.now(),
  });
  const worker = await createWorker(deps.queueConfig, {
    queue: 'extraction',
    concurrency: config.extractor.concurrency,
    handler: async ({ data: { extractionId, tenantId } }, context) => {
      // The job goes back to the front, and the queue rests until the switch is looked at again.
      if (!(await isEnabled())) return { kind: 'pause', ms: SWITCH_READ_EVERY_MS };
      const run = () => runs.process({ id: extractionId, tenantId }, context);
      return asTenant(tenantId, run).finally(deps.signal?.changed);
    },
    logger,
    clock: Date.now,
    random: Math.random,
  });
  return {
    worker,
    providerName: first.name,
    drain: () => {
      runs.drain();
      return worker.close({ graceMs: config.shutdownGraceMs });
    },
    abort: runs.abort,
    release: leases.close,
  };
}

/**
 * `first` answers the first question of a run, whose claim brought the permit; `further` acquires its own permits.
 */
function answerProviders(
  { providers: { chat, meter }, prompts }: ExtractionParts,
  keepsOwnWords: boolean,
): {
  first: Provider;
  further: Provider;
} {
  if (chat === null) {
    const rules = createExtractiveProvider({ keepsOwnWords });
    return { first: rules, further: rules };
  }
  const toProvider = (model: ChatModel) =>
    createChatProvider(
      { extraction: meter(model, 'extraction'), reconcile: meter(model, 'reconcile') },
      prompts,
    );
  return { first: toProvider(chat.model), further: toProvider(guardChatModel(chat.model, chat.breaker)) };
}

function extractMemoriesOf(
  { config, database: ofAll, logger }: ExtractorDeps,
  { providers: { embedTexts }, prompts, embedLater }: ExtractionParts,
  { first, further, calls }: Readonly<{ first: Provider; further: Provider; calls: PinnedCalls }>,
): ReturnType<typeof createExtractMemories> {
  const database = ofAll.as('tenant');
  const date = () => new Date();
  const { chatModel } = config.extractor;
  return createExtractMemories({
    database,
    listPinned: listPinnedOutputs,
    loadKnown: createKnownContext({ database, findRelevant: findRelevantMemories, embedTexts, logger }),
    promptDocuments: createPromptDocuments({
      database,
      embedTexts,
      prompt:
        chatModel === null
          ? null
          : { contextTokens: chatModel.contextTokens, replyTokens: chatModel.maxTokens },
      logger,
    }),
    dropCovered: createDropCovered({ database }),
    callModel: createCallModel({ provider: first, calls }),
    continueTruncated: createContinueTruncated({ provider: further, calls }),
    embedTexts,
    kept: config.extractor,
    applyAnswer: createApplyAnswer({
      database,
      target: SERVED,
      reconcile:
        first.complete === null
          ? null
          : createReconcileCandidates({ database, provider: further, prompts, calls }),
      embed: async (claim, texts, signal) =>
        embedTexts === null ? null : embedOrLater(embedTexts, texts, signal, logger, { payers: [claim] }),
      newId: () => uuidv7(),
      date,
    }),
    embedLater,
    logger,
    now: date,
    timeZone: config.timeZone,
  });
}
