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

/** A way of searching what was filled in, and the extra fields of its searches. */
type Searching = Readonly<{ way: Way; title: string; search?: Readonly<Record<string, unknown>> }>;

/** How the memory is filled, and all ways that search it. */
type Filling = Readonly<{
  /** Undefined: posted and extracted. */
  stored?: Statements;
  /** Whether the model answers with the published observations. */
  hasModel?: boolean;
  ways: readonly Searching[];
}>;

const FILLINGS: readonly Filling[] = [
  {
    ways: [
      { way: 'extracted', title: 'extracted by rules, and what was said' },
      { way: 'memories', title: 'extracted by rules alone', search: { include_turns: false } },
    ],
  },
  {
    stored: { observations: false, turns: true },
    ways: [{ way: 'turns', title: 'turns stored as memories' }],
  },
  { hasModel: true, ways: [{ way: 'observations', title: 'observations as the model’s answers' }] },
  {
    stored: { observations: true, turns: false },
    ways: [{ way: 'observations-stored', title: 'observations stored as memories' }],
  },
  {
    stored: { observations: true, turns: true },
    ways: [{ way: 'observations-and-turns', title: 'observations and turns stored as memories' }],
  },
];

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
    const fitting = waysOf(set).filter((one) => ways?.includes(one) ?? true);
    for (const filling of FILLINGS) {
      const searchings = filling.ways.filter(({ way }) => fitting.includes(way));
      if (searchings.length === 0) continue;
      const results = await measure(set.conversations, filling, searchings, profileDirectory);
      for (const [index, { way, title }] of searchings.entries()) {
        const result = results[index];
        if (result === undefined) continue;
        const described = `${set.name} (${languages}): ${title}`;
        parts.push(describeResult(described, result, baselines, AIMS[set.name]?.[way]));
      }
    }
  }
  return parts.join('\n\n');
}

/**
 * Starts the services on an empty database, stores the conversations, and asks all questions in each way, in the order
 * of the ways.
 */
async function measure(
  conversations: readonly Conversation[],
  { stored, hasModel = false }: Filling,
  searchings: readonly Searching[],
  profileDirectory: string | undefined,
): Promise<RecallResult[]> {
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
    const turns = conversations
      .flatMap(({ sessions }) => sessions)
      .reduce((sum, session) => sum + session.turns.length, 0);
    const results: RecallResult[] = [];
    for (const { search = {} } of searchings) {
      const asked = [];
      for (const conversation of conversations) {
        asked.push(await answerQuestions(client, conversation, evidenceOf, search));
      }
      results.push({
        turns,
        memories: asked.reduce((sum, { memories }) => sum + memories, 0),
        extractions,
        extractionSeconds: seconds,
        modelCalls: model?.callCount ?? 0,
        answered: asked.flatMap(({ answered }) => answered),
      });
    }
    return results;
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
