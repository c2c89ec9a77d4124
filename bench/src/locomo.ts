import { createScriptedModel } from '@factmill/testkit';
import type { LocomoConversation } from './locomo-data.ts';
import { type EvidenceOf, storeByBatch } from './locomo-batch.ts';
import { type Client, ingest } from './locomo-ingest.ts';
import { replayObservations } from './locomo-observations.ts';
import { answerQuestions, byProvenance } from './locomo-recall.ts';
import { describeResult, type LocomoResult } from './locomo-report.ts';
import { createStage, type Stage } from './stage.ts';

type Measured = Omit<LocomoResult, 'title' | 'aim' | 'modelCalls' | 'mostMemoriesPerTurn'>;

/** Has the system remember the conversations; `evidenceOf` tells what a memory rests on. */
type Fill = (
  stage: Stage,
  client: Client,
) => Promise<{ extractions: number; seconds: number; evidenceOf: EvidenceOf }>;

/**
 * Recall on LoCoMo conversations through the whole system, searched over HTTP, local embeddings. Posted and extracted:
 * with the facts that the extractive provider finds, and with the published observations as the model's answers. Stored
 * as memories: the observations, and the observations with all turns. Resolves to the results as Markdown.
 */
export async function runLocomo(
  conversations: readonly LocomoConversation[],
  profileDirectory?: string,
): Promise<string> {
  const extracted: Fill = async (stage, client) => ({
    ...(await ingest(stage, client, conversations)),
    evidenceOf: byProvenance,
  });
  const stored =
    (withTurns: boolean): Fill =>
    async (stage, client) => ({
      extractions: 0,
      seconds: 0,
      evidenceOf: await storeByBatch(stage, client, conversations, withTurns),
    });
  const run = (fill: Fill, provider: Readonly<Record<string, string>> = {}) =>
    measure(conversations, fill, provider, profileDirectory);

  const facts = await run(extracted);
  const model = await createScriptedModel({ reply: replayObservations(conversations) });
  try {
    const observations = await run(extracted, { LLM_BASE_URL: model.url, LLM_MODEL: 'observations' });
    const modelCalls = model.callCount;
    const inBatches = await run(stored(false));
    const withTurns = await run(stored(true));
    const none = { modelCalls: 0, mostMemoriesPerTurn: null };
    return [
      { ...facts, ...none, title: 'Facts of the extractive provider', aim: 0.62, mostMemoriesPerTurn: 0.8 },
      { ...observations, ...none, title: 'Observations as the model’s answers', aim: 0.65, modelCalls },
      { ...inBatches, ...none, title: 'Observations stored as memories', aim: 0.65 },
      { ...withTurns, ...none, title: 'Observations and turns stored as memories', aim: 0.72 },
    ]
      .map(describeResult)
      .join('\n\n');
  } finally {
    await model.close();
  }
}

/** Starts the services on an empty database, has them remember the conversations, and asks all questions. */
async function measure(
  conversations: readonly LocomoConversation[],
  fill: Fill,
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
    const { extractions, seconds, evidenceOf } = await fill(stage, client);

    const results = [];
    for (const conversation of conversations) {
      results.push(await answerQuestions(client, conversation, evidenceOf));
    }
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
