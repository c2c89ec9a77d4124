import { waitFor } from '@factmill/testkit';
import { loadavg } from 'node:os';
import { type Benchmark, grouped, inMs, type Row } from './benchmark.ts';
import { callJson } from './call-json.ts';
import { planUsers } from './large-plan.ts';
import { createLargeStage, type LargeStage, searchLarge } from './large-stage.ts';
import { nextExtractionBody } from './load.ts';
import { countRows } from './measure-ends.ts';
import { type Measured, percentilesOf, runPaced } from './search-clients.ts';
import { medianRatio } from './statistics.ts';

const AIM = 2;
const EXTRACTIONS_PER_SECOND = 200;
const SEARCHES_PER_SECOND = 20;
const MEMORIES = 1_000;

/** Searches at fixed intervals, alone and while 200 extractions per second are accepted and processed, in turns. */
export const searchBurst: Benchmark = async ({ quick, profileDirectory }) => {
  const [rounds, seconds] = quick ? [1, 5] : [3, 10];
  const plan = planUsers(quick ? 20_000 : 100_000, quick ? 200 : 1_000, 0);
  const large = await createLargeStage(plan, { profileDirectory });
  try {
    const { gateway, stage, headers } = large;
    await stage.start('extractor', {
      ...large.modelEnv,
      LLM_BASE_URL: `${large.model.url}/v1`,
      LLM_MODEL: 'instant',
    });
    const userIds = plan.measured.find(({ memories }) => memories === MEMORIES)?.userIds ?? [];
    const ingest = async (): Promise<void> => {
      await callJson(`${gateway.url}/v1/extractions`, headers, nextExtractionBody());
    };
    // The first requests are slower everywhere.
    await Promise.all([runPaced(20, 3, ingest), searchPaced(large, userIds, 3)]);
    const load = [loadavg()[0]];
    const results: { quiet: Paced; burst: Paced; donePerSecond: number }[] = [];
    for (let round = 0; round < rounds; round += 1) {
      const quiet = await searchPaced(large, userIds, seconds);
      const before = await countRows(stage, 'extractions', 'finished_at');
      const [burst] = await Promise.all([
        searchPaced(large, userIds, seconds),
        runPaced(EXTRACTIONS_PER_SECOND, seconds, ingest),
      ]);
      const done = (await countRows(stage, 'extractions', 'finished_at')) - before;
      results.push({ quiet, burst, donePerSecond: done / seconds });
      await waitUntilIdle(large);
    }
    load.push(loadavg()[0]);
    return [
      ...rowsOf(results),
      {
        benchmark: 'search-burst',
        measure: 'load average before and after',
        ours: load.map((one) => one?.toFixed(1)).join(' / '),
      },
    ];
  } finally {
    await large.close();
  }
};

type Paced = Measured & Readonly<{ degraded: number }>;

async function searchPaced(large: LargeStage, userIds: readonly string[], seconds: number): Promise<Paced> {
  let degraded = 0;
  const measured = await runPaced(SEARCHES_PER_SECOND, seconds, async (turn) => {
    const query = large.queries[turn % large.queries.length]?.text ?? '';
    const found = await searchLarge(large, userIds[turn % userIds.length] ?? '', query, { mode: 'fused' });
    if (found.degraded !== undefined) degraded += 1;
  });
  return { ...measured, degraded };
}

/** Waits until the backlog is processed before the next quiet phase. */
async function waitUntilIdle({ stage }: LargeStage): Promise<void> {
  await waitFor(
    async () =>
      (await countRows(stage, 'extractions')) === (await countRows(stage, 'extractions', 'finished_at')),
    { timeoutMs: 60_000, intervalMs: 250, describe: 'the extractions to be worked off' },
  );
}

function rowsOf(results: readonly { quiet: Paced; burst: Paced; donePerSecond: number }[]): Row[] {
  const all = (which: 'quiet' | 'burst') =>
    percentilesOf({ times: results.flatMap((one) => one[which].times), perSecond: 0 });
  const [quiet, burst] = [all('quiet'), all('burst')];
  const degradedOf = (which: 'quiet' | 'burst') => results.reduce((sum, one) => sum + one[which].degraded, 0);
  const p95s = (which: 'quiet' | 'burst') => results.map((one) => percentilesOf(one[which]).p95);
  const ratio = medianRatio(p95s('burst'), p95s('quiet'));
  const done = results.reduce((sum, { donePerSecond }) => sum + donePerSecond, 0) / results.length;
  return [
    {
      benchmark: 'search-burst',
      measure: 'p50, baseline: quiet',
      ours: inMs(burst.p50),
      baseline: inMs(quiet.p50),
    },
    {
      benchmark: 'search-burst',
      measure: `p95 with ${EXTRACTIONS_PER_SECOND} extractions/s, baseline: quiet`,
      ours: inMs(burst.p95),
      baseline: inMs(quiet.p95),
      ratio,
      aim: { text: `≤ ${AIM}`, reached: ratio <= AIM },
    },
    {
      benchmark: 'search-burst',
      measure: 'searches that left something out',
      ours: String(degradedOf('burst')),
      baseline: String(degradedOf('quiet')),
      aim: { text: '0', reached: degradedOf('burst') + degradedOf('quiet') === 0 },
    },
    { benchmark: 'search-burst', measure: 'extractions worked off meanwhile', ours: `${grouped(done)}/s` },
  ];
}
