import { createDisposables, createUsageMeter, type UsageMeter } from '@factmill/runtime';
import { createModelsInUse, type ModelsInUse, registerConfigured } from '@factmill/vectors';
import type { FallbackChatModel } from '@factmill/models';
import type { Queues } from '@factmill/queue';
import type { ExtractorDeps } from './extractor-deps.ts';
import { type Breaker, createBreaker, providerName } from './providers/breaker.ts';
import { checkEmbedding } from './providers/check-embedding.ts';
import { createEmbedTexts, type EmbedTexts } from './providers/embed-texts.ts';
import { createModelMeter, type MeterChatModel } from './providers/metered-chat-model.ts';
import { openChatModel } from './providers/open-chat-model.ts';
import { createRunBreaker, type RunBreaker } from './providers/run-breaker.ts';
import type { Part } from './shutdown.ts';

type Chat = Readonly<{ model: FallbackChatModel; breaker: Breaker }>;

export type Providers = Part &
  Readonly<{
    /** Null without a chat model: then rules extract, and summaries are composed. */
    chat: Chat | null;
    /** The chat model's breaker for claimed runs. */
    breaker: RunBreaker;
    meter: MeterChatModel;
    usage: UsageMeter;
    models: ModelsInUse;
    /** Null when no embedding model is configured. */
    embedTexts: EmbedTexts | null;
    /** False while the endpoint's vectors differ in size from the stored ones. */
    embeddingFits: () => boolean;
  }>;

/** The models, each behind its breaker. */
export async function openProviders(deps: ExtractorDeps): Promise<Providers> {
  const { config, database, embedder, logger } = deps;
  const embedding = { database, config: config.embedding, configured: embedder };
  // Searches use only registered models, so this registers before the first search of a new installation.
  if (embedder.profile !== null) await registerConfigured(embedding);
  const disposables = createDisposables();
  const usage = disposables.add(createUsageMeter({ database, prices: config.modelPrices, logger }));
  const models = disposables.add(createModelsInUse({ ...embedding, now: Date.now }));
  const isRemote = config.embedding.provider === 'openai';
  const breakerDeps = { database, logger, now: Date.now, probeIntervalMs: config.extractor.probeIntervalMs };
  let embeddingFits = true;
  const embedTexts =
    config.embedding.provider === 'none'
      ? null
      : createEmbedTexts({
          models,
          database,
          usage,
          breaker: isRemote
            ? createBreaker(providerName('embedding', config.embedding.baseUrl), breakerDeps)
            : null,
          onMismatch: (error) => {
            embeddingFits = error === null;
            if (error !== null) logger.error({ code: error.code }, error.message);
          },
          now: Date.now,
        });
  const chat = openChat(deps);
  if (chat !== null) disposables.add(chat.model);
  if (embedTexts !== null && config.embedding.provider !== 'local') {
    disposables.add(checkEmbedding(embedTexts, logger));
  }
  await resumeUnlessDown(chat?.breaker ?? null, deps.queues);
  return {
    chat,
    breaker: createRunBreaker({ breaker: chat?.breaker ?? null, logger }),
    meter: createModelMeter(),
    usage,
    models,
    embedTexts,
    embeddingFits: () => embeddingFits,
    release: disposables.close,
  };
}

function openChat({ config, database, logger, queues }: ExtractorDeps): Chat | null {
  const { chatModel, probeIntervalMs } = config.extractor;
  if (chatModel === null) return null;
  return {
    model: openChatModel(chatModel, logger),
    breaker: createBreaker(providerName('llm', chatModel.baseUrl), {
      database,
      logger,
      now: Date.now,
      probeIntervalMs,
      onClosed: () => resumeQueues(queues),
    }),
  };
}

/** The queue may still be paused for a provider that is no longer used, or for an outage that has ended. */
async function resumeUnlessDown(breaker: Breaker | null, queues: Queues): Promise<void> {
  try {
    if (breaker !== null && (await breaker.read()).isOpen) return;
    await resumeQueues(queues);
  } catch {
    // The pause ends by itself within half a minute.
  }
}

async function resumeQueues(queues: Queues): Promise<void> {
  await Promise.all([queues.resume('extraction'), queues.resume('compression')]);
}
