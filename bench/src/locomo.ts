import { createScriptedModel } from '@factmill/testkit';
import type { LocomoConversation } from './locomo-data.ts';
import { ingest } from './locomo-ingest.ts';
import { replayObservations } from './locomo-observations.ts';
import { answerQuestions } from './locomo-recall.ts';
import { describeResult, type LocomoResult } from './locomo-report.ts';
import { createStage } from './stage.ts';

type Measured = Omit<LocomoResult, 'title' | 'modelCalls' | 'mostMemoriesPerTurn'>;

/**
 * Recall on LoCoMo conversations through the whole system: posted, extracted and searched over HTTP, local
 * embeddings. Once with the facts that the extractive provider finds, once with the published observations as the
 * model's answers. Resolves to the results as Markdown.
 */
export async function runLocomo(
  conversations: readonly LocomoConversation[],
  profileDirectory?: string,
): Promise<string> {
  const facts = await measure(conversations, {}, profileDirectory);
  const model = await createScriptedModel({ reply: replayObservations(conversations) });
  try {
    const provider = { LLM_BASE_URL: model.url, LLM_MODEL: 'observations' };
    const observations = await measure(conversations, provider, profileDirectory);
    return [
      describeResult({
        ...facts,
        title: 'Facts of the extractive provider',
        modelCalls: 0,
        mostMemoriesPerTurn: 0.8,
      }),
      describeResult({
        ...observations,
        title: 'Observations as the model’s answers',
        modelCalls: model.callCount,
        mostMemoriesPerTurn: null,
      }),
    ].join('\n\n');
  } finally {
    await model.close();
  }
}

/** Starts the services on an empty database, has them remember the conversations, and asks all questions. */
async function measure(
  conversations: readonly LocomoConversation[],
  provider: Readonly<Record<string, string>>,
  profileDirectory: string | undefined,
): Promise<Measured> {
  const stage = await createStage(profileDirectory);
  try {
    const env = { ...provider, EMBEDDING_PROVIDER: 'local' };
    const retrieval = await stage.start('retrieval', env);
    const gateway = await stage.start('gateway', { ...env, RETRIEVAL_URL: retrieval.url });
    await stage.start('extractor', env);
    const client = { url: gateway.url, headers: await stage.createClientHeaders(gateway) };
    const { extractions, seconds } = await ingest(stage, client, conversations);

    const results = [];
    for (const conversation of conversations) results.push(await answerQuestions(client, conversation));
    return {
      turns: conversations
        .flatMap(({ sessions }) => sessions)
        .reduce((sum, session) => sum + session.turns.length, 0),
      memories: results.reduce((sum, result) => sum + result.memories, 0),
      extractions,
      extractionSeconds: seconds,
      answered: results.flatMap((result) => result.answered),
    };
  } finally {
    await stage.close();
  }
}
