import { estimateTokens } from '@factmill/extraction';
import { countTokens, type Purpose } from '@factmill/testkit';
import { grouped } from './benchmark.ts';
import type { Checks } from './cost-checks.ts';
import type { User } from './cost-conversations.ts';
import type { Naive } from './cost-naive.ts';
import { toMarkdownTable } from './report.ts';

export type CostResult = Readonly<{
  preset: string;
  extractions: number;
  failed: number;
  degraded: number;
  calls: Partial<Record<Purpose, number>>;
  /** Prompt tokens by our estimate and by the model server's count, and completion tokens by its count. */
  estimated: number;
  counted: number;
  completion: number;
  /** Tokens of the prompt without the conversation. */
  instructions: string;
  memories: number;
  checks: Checks;
}>;

const MAX_CALLS = 1.2;
const MAX_INSTRUCTION_TOKENS = 1_200;

/** Calls of extractions, without those of summaries, which no extraction waits for. */
const OF_EXTRACTION = ['extract', 'again', 'continue', 'reconcile'] as const satisfies readonly Purpose[];
const OF_SUMMARIES = ['user-summary', 'conversation-summary'] as const satisfies readonly Purpose[];

/** The tables of the results, per 100 turns, and whether the aims are reached. */
export function describeCost(users: readonly User[], results: readonly CostResult[], naive: Naive): string {
  const turns = users
    .flatMap(({ conversations }) => conversations)
    .reduce((sum, conversation) => sum + conversation.turns.length, 0);
  const per100 = (count: number): string => {
    const rate = (count * 100) / turns;
    return rate === 0 ? '0' : rate < 100 ? rate.toFixed(1) : grouped(rate);
  };
  const conversations = users.reduce((sum, user) => sum + user.conversations.length, 0);
  return [
    `${users.length} users, ${conversations} conversations, ${turns} turns. Everything per 100 turns, except the last columns.`,
    toMarkdownTable(
      [
        'preset',
        'extractions',
        'calls: extract',
        'again, continue',
        'reconcile',
        'summaries',
        'prompt tokens, estimated',
        'as the server counts',
        'completion tokens',
        'memories',
        'calls per extraction',
        'instruction tokens, estimated / counted',
      ],
      [
        ...results.map((result) => [
          `\`${result.preset}\``,
          per100(result.extractions),
          per100(callsOf(result, ['extract'])),
          per100(callsOf(result, ['again', 'continue'])),
          per100(callsOf(result, ['reconcile'])),
          per100(callsOf(result, OF_SUMMARIES)),
          per100(result.estimated),
          per100(result.counted),
          per100(result.completion),
          per100(result.memories),
          callsPerExtraction(result).toFixed(2),
          `${grouped(estimateTokens(result.instructions))} / ${grouped(countTokens(result.instructions))}`,
        ]),
        [
          'baseline: a call per user turn, the conversation so far',
          per100(naive.calls),
          per100(naive.calls),
          '',
          '',
          '',
          per100(naive.estimated),
          per100(naive.counted),
          '',
          '',
          '1.00',
          '',
        ],
      ],
    ),
    ...aimsOf(results),
    toMarkdownTable(
      ['preset', 'not done', 'degraded', 'equal texts', 'statements found', 'changed ones replaced'],
      results.map(({ preset, failed, degraded, checks }) => [
        `\`${preset}\``,
        String(failed),
        String(degraded),
        String(checks.duplicates),
        `${checks.current} of ${checks.stated}`,
        `${checks.changed - checks.outdated} of ${checks.changed}`,
      ]),
    ),
  ].join('\n\n');
}

function callsOf({ calls }: CostResult, purposes: readonly Purpose[]): number {
  return purposes.reduce((sum, purpose) => sum + (calls[purpose] ?? 0), 0);
}

function callsPerExtraction(result: CostResult): number {
  return callsOf(result, OF_EXTRACTION) / result.extractions;
}

function aimsOf(results: readonly CostResult[]): string[] {
  const standard = results.find(({ preset }) => preset === 'standard');
  if (standard === undefined) return [];
  const calls = callsPerExtraction(standard);
  const { instructions } = standard;
  const tokens = Math.max(estimateTokens(instructions), countTokens(instructions));
  const say = (reached: boolean): string => (reached ? 'reached' : '**not reached**');
  return [
    `Aim of \`standard\`: at most ${MAX_CALLS} calls per extraction: ${say(calls <= MAX_CALLS)} (${calls.toFixed(2)}).\nAim of \`standard\`: fewer than ${grouped(MAX_INSTRUCTION_TOKENS)} instruction tokens: ${say(tokens < MAX_INSTRUCTION_TOKENS)} (${grouped(tokens)}).`,
  ];
}
