import type { Config } from '@factmill/config';
import {
  copyBaseMemories,
  createShadowStore,
  type DatabasePool,
  finishReplayRun,
  listReplayAnswers,
  listShadowKnown,
  type ReplayClaim,
  readReplayInput,
  replayClaims,
  saveReplayAnswer,
  saveShadowEmbeddings,
  type Shadow,
} from '@factmill/database';
import type { UsageMeter } from '@factmill/runtime';
import type { Logger } from '@factmill/telemetry';
import { setTimeout as delay } from 'node:timers/promises';
import type { Provider } from '../extracting/answer-providers.ts';
import { type ApplyTarget, createApplyAnswer } from '../extracting/apply-answer.ts';
import { createCallModel } from '../extracting/call-model.ts';
import { createContinueTruncated } from '../extracting/continue-truncated.ts';
import { createDropCovered } from '../extracting/drop-covered.ts';
import { createExtractMemories, KNOWN_MEMORY_LIMIT } from '../extracting/extract-memories.ts';
import { createKnownContext } from '../extracting/known-context.ts';
import { createPinnedCalls, type PinnedCalls } from '../extracting/pinned-calls.ts';
import { createPromptDocuments } from '../extracting/prompt-documents.ts';
import { createReconcileCandidates } from '../extracting/reconcile-candidates.ts';
import { type EmbedTexts, embedOrLater } from '../providers/embed-texts.ts';
import type { RunBreaker } from '../providers/run-breaker.ts';
import type { createReplayProvider, ReplayProvider } from './replay-provider.ts';

export type ExtractIntoShadowDeps = Readonly<{
  config: Config;
  /** For the tenant of the run. */
  database: DatabasePool;
  replayProvider: ReturnType<typeof createReplayProvider>;
  embedTexts: EmbedTexts | null;
  usage: UsageMeter;
  breaker: RunBreaker;
  logger: Logger;
  newId: () => string;
  date: () => Date;
}>;

/**
 * The steps of an extraction, as createExtractMemories has them, with the shadow in place of the memories that are served:
 * it is what prompts show, what new statements are compared with, and where they are written. Every step can be
 * repeated; pinned answers are not asked for again. Resolves to the counts of changes in the shadow.
 *
 * @throws AppError as createExtractMemories does
 */
export function createExtractIntoShadow(deps: ExtractIntoShadowDeps) {
  const { database, embedTexts, logger } = deps;

  return async function extractIntoShadow(
    claim: ReplayClaim,
    signal: AbortSignal,
  ): Promise<Readonly<Record<string, number>>> {
    const shadow = shadowOf(claim);
    await database.transaction(async (tx) => {
      await replayClaims.assertFence(tx, claim);
      await copyBaseMemories(tx, shadow);
    });
    const answering = deps.replayProvider(claim);
    try {
      const pinned = (await listReplayAnswers(database, claim)).get('extract')?.output ?? null;
      const { messages, hasDocuments } = await readReplayInput(database, claim);
      const wantsKnown = pinned === null && answering.provider.wantsKnown;
      const known = wantsKnown ? await listShadowKnown(database, shadow, recentOf(claim)) : [];
      const input = { pinned, messages, known, hasDocuments };
      const { counts } = await extractMemoriesFor(shadow, claim, answering)(claim, input, signal);
      return counts;
    } finally {
      await answering.close();
    }
  };

  function extractMemoriesFor(
    shadow: Shadow,
    claim: ReplayClaim,
    { provider, prompts }: ReplayProvider,
  ): ReturnType<typeof createExtractMemories> {
    const calls = callsOf(provider);
    const { chatModel } = deps.config.extractor;
    return createExtractMemories({
      database,
      listPinned: listReplayAnswers,
      loadKnown: createKnownContext({
        database,
        findRelevant: (sql, search) => listShadowKnown(sql, shadow, search),
        embedTexts,
        logger,
      }),
      promptDocuments: createPromptDocuments({
        database,
        embedTexts,
        prompt:
          provider.isFree || chatModel === null
            ? null
            : { contextTokens: chatModel.contextTokens, replyTokens: chatModel.maxTokens },
        logger,
      }),
      dropCovered: createDropCovered({ database }),
      callModel: createCallModel({ provider, calls }),
      continueTruncated: createContinueTruncated({ provider, calls }),
      embedTexts,
      kept: deps.config.extractor,
      applyAnswer: createApplyAnswer({
        database,
        target: targetOf(shadow, claim),
        reconcile:
          provider.complete === null
            ? null
            : createReconcileCandidates({ database, provider, prompts, calls }),
        embed: async (owner, texts, signal) =>
          embedTexts === null ? null : embedOrLater(embedTexts, texts, signal, logger, { payers: [owner] }),
        newId: deps.newId,
        date: deps.date,
      }),
      // Memories of a shadow that lack a vector are compared by their words.
      embedLater: () => Promise.resolve(),
      logger,
      now: deps.date,
      timeZone: deps.config.timeZone,
    });
  }

  function callsOf(provider: Provider): PinnedCalls {
    return createPinnedCalls({
      database,
      saveOutput: saveReplayAnswer,
      usagePurpose: () => 'replay',
      provider: provider.name,
      usage: provider.isFree ? null : deps.usage,
      now: () => Math.round(performance.now()),
      wait: (ms, signal) => delay(ms, undefined, { signal }),
      answered: (runId) => deps.breaker.answered(runId),
    });
  }
}

/** The shadow that a run writes. */
export function shadowOf({ tenantId, userId, replayId, id }: ReplayClaim): Shadow {
  return { tenantId, userId, replayId, runId: id };
}

function recentOf({ conversationId }: ReplayClaim): Parameters<typeof listShadowKnown>[2] {
  return { conversationId, model: null, vectors: [], limit: KNOWN_MEMORY_LIMIT };
}

function targetOf(shadow: Shadow, claim: ReplayClaim): ApplyTarget {
  return {
    applyNew: null,
    storeOf: () => createShadowStore(shadow),
    actorOf: () => ({ actor: 'replay', extractionId: claim.extractionId }),
    assertFence: (tx) => replayClaims.assertFence(tx, claim),
    saveEmbeddings: (tx, _claim, model, embeddings) => saveShadowEmbeddings(tx, shadow, model, embeddings),
    async finish(tx, _claim, { added, updated, deleted, unchanged, rejected }) {
      await finishReplayRun(tx, claim, { counts: { added, updated, deleted, unchanged, rejected } });
      return { next: null };
    },
  };
}
