import { grouped, inMs } from './benchmark.ts';
import { CATEGORIES } from './locomo-data.ts';
import { type Answered, CUTS } from './locomo-recall.ts';
import { toMarkdownTable } from './report.ts';
import { percentile } from './statistics.ts';

/** What one way of filling the memory brought. */
export type LocomoResult = Readonly<{
  title: string;
  turns: number;
  memories: number;
  extractions: number;
  extractionSeconds: number;
  modelCalls: number;
  answered: readonly Answered[];
  /** R@10. */
  aim: number;
  /** Null: none is aimed for. */
  mostMemoriesPerTurn: number | null;
}>;

/** Recall at 5, 10 and 20 on the three conversations for development, with the local model where vectors are used. */
const BASELINES: readonly (readonly [name: string, ...recall: number[]])[] = [
  ['turns, cosine', 0.287, 0.402, 0.548],
  ['turns, BM25', 0.553, 0.621, 0.68],
  ['observations, cosine', 0.534, 0.601, 0.655],
  ['observations, BM25', 0.536, 0.586, 0.624],
  ['observations, RRF of both', 0.554, 0.618, 0.668],
  ['observations, mem0 3.3.1', 0.582, 0.632, 0.674],
  ['turns and observations, RRF of both', 0.618, 0.692, 0.768],
];

/** The results as Markdown: how much was stored, recall per category and conversation, the baselines, the aims. */
export function describeResult(result: LocomoResult): string {
  const { answered, extractions, extractionSeconds, memories, turns } = result;
  const searchMs = answered.map((one) => one.searchMs);
  const conversations = [...new Set(answered.map((one) => one.conversation))];
  const rows = [
    toRow('**all**', answered),
    ...Array.from(CATEGORIES, ([category, name]) =>
      toRow(
        name,
        answered.filter((one) => one.category === category),
      ),
    ),
    ...conversations.map((conversation) =>
      toRow(
        `conversation ${conversation}`,
        answered.filter((one) => one.conversation === conversation),
      ),
    ),
    ...BASELINES.map(([name, ...recall]) => [`baseline: ${name}`, '', ...recall.map(share), '']),
  ];
  return [
    `## ${result.title}`,
    '',
    `${grouped(turns)} turns, ${grouped(memories)} memories (${(memories / turns).toFixed(2)} per turn); ` +
      (extractions === 0
        ? 'stored in batches; '
        : `${extractions} extractions in ${extractionSeconds.toFixed(1)} s, ${result.modelCalls} model calls; `) +
      `search p50 ${inMs(percentile(searchMs, 50))}, p95 ${inMs(percentile(searchMs, 95))}.`,
    '',
    toMarkdownTable(['questions', 'count', ...CUTS.map((cut) => `R@${cut}`), 'in any memory'], rows),
    '',
    ...aimsOf(result),
  ].join('\n');
}

function toRow(name: string, answered: readonly Answered[]): string[] {
  return [
    name,
    String(answered.length),
    ...CUTS.map((_, index) => share(mean(answered.map((one) => one.recall[index] ?? 0)))),
    share(mean(answered.map((one) => one.stored))),
  ];
}

function aimsOf({ aim, answered, memories, turns, mostMemoriesPerTurn }: LocomoResult): string[] {
  const recall = mean(answered.map((one) => one.recall[CUTS.indexOf(10)] ?? 0));
  const verdict = (reached: boolean): string => (reached ? 'reached' : '**not reached**');
  return [
    `Aim R@10 ≥ ${aim}: ${verdict(recall >= aim)} (${share(recall)}).`,
    ...(mostMemoriesPerTurn === null
      ? []
      : [
          `Aim ≤ ${mostMemoriesPerTurn} memories per turn: ${verdict(memories / turns <= mostMemoriesPerTurn)}.`,
        ]),
  ];
}

function mean(values: readonly number[]): number {
  return values.reduce((sum, value) => sum + value, 0) / values.length;
}

/** Empty for nothing. */
function share(value: number): string {
  return Number.isNaN(value) ? '' : value.toFixed(3);
}
