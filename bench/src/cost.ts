import { estimateTokens, type Preset, presets } from '@factmill/extraction';
import {
  countPromptTokens,
  countTokens,
  createScriptedModel,
  type Purpose,
  readPromptRequest,
  replyDiligently,
  type ScriptedModel,
} from '@factmill/testkit';
import { checkMemories } from './cost-checks.ts';
import { loadCostConversations, type User } from './cost-conversations.ts';
import { measureNaive } from './cost-naive.ts';
import { type CostResult, describeCost } from './cost-report.ts';
import { converse } from './cost-run.ts';
import { createCostSkill } from './cost-skill.ts';
import type { Client } from './recall/ingest.ts';
import { createStage, type Stage } from './stage.ts';

/**
 * The model cost of each preset for the same conversations, posted turn by turn through the gateway. The model
 * answers as a good one would; vectors are local. Resolves to the results as Markdown.
 */
export async function runCost(profileDirectory?: string): Promise<string> {
  const users = await loadCostConversations();
  const skill = createCostSkill(users);
  const model = await createScriptedModel({
    reply: (request) =>
      request.endpoint === 'chat' ? { content: replyDiligently(request, skill) } : undefined,
  });
  const stage = await createStage(profileDirectory);
  try {
    const env = { EMBEDDING_PROVIDER: 'local', LLM_BASE_URL: model.url, LLM_MODEL: 'diligent' };
    const gateway = await stage.start('gateway', env);
    await stage.start('extractor', { ...env, SWEEP_INTERVAL_MS: '250' });
    const client = { url: gateway.url, headers: await stage.createClientHeaders(gateway) };
    const results: CostResult[] = [];
    for (const preset of presets.values()) {
      const startedAt = performance.now();
      results.push(await measurePreset(stage, client, model, skill, preset, users));
      console.error(`${preset.name}: ${Math.round((performance.now() - startedAt) / 1000)} s`);
    }
    return describeCost(users, results, measureNaive(users, instructionsOf('standard')));

    function instructionsOf(name: string): string {
      const instructions = results.find((result) => result.preset === name)?.instructions;
      if (instructions === undefined) throw new Error(`the preset ${name} was not measured`);
      return instructions;
    }
  } finally {
    await stage.close();
    await model.close();
  }
}

async function measurePreset(
  stage: Stage,
  client: Client,
  model: ScriptedModel,
  skill: Parameters<typeof replyDiligently>[1],
  preset: Preset,
  users: readonly User[],
): Promise<CostResult> {
  model.reset();
  const run = await converse(stage, client, preset, users);
  const calls: Partial<Record<Purpose, number>> = {};
  const sums = { estimated: 0, counted: 0, completion: 0 };
  let instructions = '';
  for (const call of model.calls.filter(({ endpoint }) => endpoint === 'chat')) {
    const { purpose, system, question } = readPromptRequest(call);
    calls[purpose] = (calls[purpose] ?? 0) + 1;
    const messages = (call.body['messages'] ?? []) as { content: string }[];
    sums.estimated += estimateTokens(messages.map(({ content }) => content).join('\n'));
    sums.counted += countPromptTokens(call);
    sums.completion += countTokens(replyDiligently(call, skill));
    if (purpose === 'extract') instructions = `${system}\n${withoutData(question)}`;
  }
  const { rows } = await stage.database.query<{ extractions: number; failed: number; degraded: number }>(
    `select count(*) filter (where state <> 'skipped')::integer as extractions,
       count(*) filter (where state not in ('done', 'skipped'))::integer as failed,
       count(*) filter (where degraded is not null)::integer as degraded
     from extractions where preset = $1::text`,
    [preset.name],
  );
  const [ledger = { extractions: 0, failed: 0, degraded: 0 }] = rows;
  return {
    preset: preset.name,
    ...ledger,
    calls,
    ...sums,
    instructions,
    memories: run.reduce((sum, { memories }) => sum + memories.length, 0),
    checks: checkMemories(run),
  };
}

/** The fixed part of a prompt. */
function withoutData(question: string): string {
  return question.replaceAll(/<(\w+)>[\s\S]*?<\/\1>/g, '<$1>\n</$1>');
}
