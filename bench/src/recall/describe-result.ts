import { grouped, inMs } from '../benchmark.ts';
import { toMarkdownTable } from '../report.ts';
import { percentile } from '../statistics.ts';
import type { Aim } from './aims.ts';
import type { Baseline } from './baselines.ts';
import { type Answered, CUTS } from './recall.ts';

/** The result of one way of filling the memory. */
export type RecallResult = Readonly<{
  turns: number;
  memories: number;
  /** 0: everything was stored unchanged. */
  extractions: number;
  extractionSeconds: number;
  modelCalls: number;
  answered: readonly Answered[];
}>;

const AIM_CUT = CUTS.indexOf(10);

/** The result as Markdown: how much is stored, recall by category and conversation, the baselines, the aim. */
export function describeResult(
  title: string,
  result: RecallResult,
  baselines: readonly Baseline[],
  aim: Aim | undefined,
): string {
  const { answered, extractions, extractionSeconds, memories, modelCalls, turns } = result;
  const searchMs = answered.map((one) => one.searchMs);
  const groups = (of: (one: Answered) => string) =>
    [...new Set(answered.map(of))].map((name): [string, Answered[]] => [
      name,
      answered.filter((one) => of(one) === name),
    ]);
  const conversations = groups((one) => one.conversation);
  const rows = [
    toRow('**all**', answered),
    ...groups((one) => one.category).map(([name, some]) => toRow(name, some)),
    ...(conversations.length > 1
      ? conversations.map(([name, some]) => toRow(`conversation ${name}`, some))
      : []),
    ...baselines.map(({ name, answered: all }) => toRow(`baseline: ${name}`, all)),
  ];
  return [
    `### ${title}`,
    '',
    `${grouped(turns)} turns, ${grouped(memories)} memories (${(memories / turns).toFixed(2)} per turn); ` +
      (extractions === 0
        ? 'stored in batches; '
        : `${extractions} extractions in ${extractionSeconds.toFixed(1)} s, ${modelCalls} model calls; `) +
      `search p50 ${inMs(percentile(searchMs, 50))}, p95 ${inMs(percentile(searchMs, 95))}.`,
    '',
    toMarkdownTable(
      ['questions', 'count', ...CUTS.map((cut) => `R@${cut}`), ...CUTS.map((cut) => `S@${cut}`), 'ceiling'],
      rows,
    ),
    ...(aim === undefined ? [] : ['', describeAim(aim, result)]),
  ].join('\n');
}

function toRow(name: string, answered: readonly Answered[]): string[] {
  const mean = (of: (one: Answered) => number | undefined) =>
    share(meanOf(answered.map((one) => of(one) ?? 0)));
  return [
    name,
    String(answered.length),
    ...CUTS.map((_, at) => mean((one) => one.turns[at])),
    ...CUTS.map((_, at) => mean((one) => one.sessions[at])),
    mean((one) => one.ceiling),
  ];
}

function describeAim(aim: Aim, { answered, memories, turns }: RecallResult): string {
  const recall = meanOf(answered.map((one) => one.turns[AIM_CUT] ?? 0));
  const verdict = (isReached: boolean): string => (isReached ? 'reached' : '**not reached**');
  const { memoriesPerTurn: most } = aim;
  return (
    `Aim R@10 ≥ ${aim.recall}: ${verdict(recall >= aim.recall)} (${share(recall)}).` +
    (most === undefined ? '' : ` Aim ≤ ${most} memories per turn: ${verdict(memories / turns <= most)}.`)
  );
}

function meanOf(values: readonly number[]): number {
  return values.reduce((sum, value) => sum + value, 0) / values.length;
}

/** Empty for nothing. */
function share(value: number): string {
  return Number.isNaN(value) ? '' : value.toFixed(3);
}
