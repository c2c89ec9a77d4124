import { createScriptedModel } from '@factmill/testkit';
import { createStage, type Stage } from '../stage.ts';
import { AIMS, type Way } from './aims.ts';
import { answerQuestions, byProvenance } from './answer-questions.ts';
import { measureBaselines } from './baselines.ts';
import type { Conversation, ConversationSet } from './conversations.ts';
import { describeResult, type RecallResult } from './describe-result.ts';
import { type Client, ingest } from './ingest.ts';
import { replayObservations } from './replay-observations.ts';
import { type EvidenceOf, type Statements, storeStatements } from './store-statements.ts';

/** How a way fills the memory, and the extra fields of its searches. */
type Filling = Readonly<{
  title: string;
  /** Undefined: posted and extracted. */
  stored?: Statements;
  /** Whether the model answers with the published observations. */
  hasModel?: boolean;
  search?: Readonly<Record<string, unknown>>;
}>;

const FILLINGS: Readonly<Record<Way, Filling>> = {
  extracted: { title: 'extracted by rules, and what was said' },
  memories: { title: 'extracted by rules alone', search: { include_turns: false } },
  turns: { title: 'turns stored as memories', stored: { observations: false, turns: true } },
  observations: { title: 'observations as the model’s answers', hasModel: true },
  'observations-stored': {
    title: 'observations stored as memories',
    stored: { observations: true, turns: false },
  },
  'observations-and-turns': {
    title: 'observations and turns stored as memories',
    stored: { observations: true, turns: true },
  },
};

/** The ways for a set: statements are never extracted, and only LoCoMo has observations. */
function waysOf({ conversations }: ConversationSet): Way[] {
  if (conversations.every(({ isStatements }) => isStatements)) return ['turns'];
  const hasObservations = conversations.some(({ sessions }) =>
    sessions.some(({ observations }) => observations.length > 0),
  );
  return hasObservations
    ? ['extracted', 'memories', 'observations', 'observations-stored', 'observations-and-turns']
    : ['extracted', 'memories', 'turns'];
}

/**
 * Recall on conversations through the whole system, searched over HTTP, with local embeddings: each set in each way
 * of filling the memory, beside the turns ranked by baselines. Resolves to the results as Markdown.
 *
 * @param ways undefined: all that fit
 */
export async function runRecall(
  sets: readonly ConversationSet[],
  ways: readonly Way[] | undefined,
  profileDirectory?: string,
): Promise<string> {
  const parts: string[] = [];
  for (const set of sets) {
    const baselines = await measureBaselines(set.conversations);
    const languages = [...new Set(set.conversations.map(({ language }) => language))].join(', ');
    for (const way of waysOf(set).filter((one) => ways?.includes(one) ?? true)) {
      const filling = FILLINGS[way];
      const result = await measure(set.conversations, filling, profileDirectory);
      const title = `${set.name} (${languages}): ${filling.title}`;
      parts.push(describeResult(title, result, baselines, AIMS[set.name]?.[way]));
    }
  }
  return parts.join('\n\n');
}

/** Starts the services on an empty database, stores the conversations, and asks all questions. */
async function measure(
  conversations: readonly Conversation[],
  { stored, hasModel = false, search = {} }: Filling,
  profileDirectory: string | undefined,
): Promise<RecallResult> {
  const model = hasModel ? await createScriptedModel({ reply: replayObservations(conversations) }) : null;
  const stage = await createStage(profileDirectory);
  try {
    const env = {
      EMBEDDING_PROVIDER: 'local',
      ...(model === null ? {} : { LLM_BASE_URL: model.url, LLM_MODEL: 'observations' }),
    };
    const retrieval = await stage.start('retrieval', env);
    const gateway = await stage.start('gateway', { ...env, RETRIEVAL_URL: retrieval.url });
    await stage.start('extractor', env);
    const client = { url: gateway.url, headers: await stage.createClientHeaders(gateway) };
    const { extractions, seconds, evidenceOf } = await fill(stage, client, conversations, stored);
    const results = [];
    for (const conversation of conversations) {
      results.push(await answerQuestions(client, conversation, evidenceOf, search));
    }
    return {
      turns: conversations
        .flatMap(({ sessions }) => sessions)
        .reduce((sum, session) => sum + session.turns.length, 0),
      memories: results.reduce((sum, result) => sum + result.memories, 0),
      extractions,
      extractionSeconds: seconds,
      modelCalls: model?.callCount ?? 0,
      answered: results.flatMap((result) => result.answered),
    };
  } finally {
    await stage.close();
    await model?.close();
  }
}

/** Stores the conversations; `evidenceOf` returns the source turns of a memory. */
async function fill(
  stage: Stage,
  client: Client,
  conversations: readonly Conversation[],
  stored: Statements | undefined,
): Promise<{ extractions: number; seconds: number; evidenceOf: EvidenceOf }> {
  if (stored === undefined) {
    return { ...(await ingest(stage, client, conversations)), evidenceOf: byProvenance };
  }
  const evidenceOf = await storeStatements(stage, client, conversations, stored);
  return { extractions: 0, seconds: 0, evidenceOf };
}
