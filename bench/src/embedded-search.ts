import { createThreadTime } from '@factmill/testkit';
import { loadavg } from 'node:os';
import { type Benchmark, inMs, type Row } from './benchmark.ts';
import { callJson } from './call-json.ts';
import { type Ask, searchesOf } from './embedded-asks.ts';
import { embeddedEnv } from './embedded-env.ts';
import { storeMemories } from './embedded-memories.ts';
import { processorTimeOf } from './processor-time.ts';
import { runClients, runPaced } from './search-clients.ts';
import { createStage } from './stage.ts';
import type { Service } from './start-service.ts';
import { median, medianRatio, percentile } from './statistics.ts';

const USER = 'has-many';
const MEMORIES = 5_000;
const CLIENTS = 3;
const ACCEPTS_PER_SECOND = 10;
const AIM_ACCEPTING = 3;
const AIM_SEARCHING = 2;

/**
 * `npm start` with many memories of one user: accepting alone and beside clients that search without pause, in turns;
 * and the processor time of each kind of search.
 */
export const embeddedSearch: Benchmark = async ({ quick, profileDirectory, memories }) => {
  const count = memories ?? (quick ? MEMORIES / 10 : MEMORIES);
  const [rounds, seconds] = quick ? [1, 3] : [3, 12];
  const stage = await createStage(profileDirectory);
  try {
    const service = await stage.start('standalone', embeddedEnv(stage));
    await storeMemories(service.url, USER, count);
    const searches = searchesOf(USER);
    const costs = await measureCosts(service, searches, quick ? 2 : 10);
    const results: Round[] = [];
    for (let round = 0; round < rounds; round += 1) {
      const quiet = await acceptPaced(service, seconds);
      const [beside, found] = await Promise.all([
        acceptPaced(service, seconds),
        searchWithoutPause(service, searches, seconds),
      ]);
      results.push({ quiet, beside, ...found });
    }
    return [...rowsOfAccepting(results, count), ...rowsOfCosts(costs, count)];
  } finally {
    await stage.close();
  }
};

/** Milliseconds by kind of request. */
type Accepted = Readonly<Record<AcceptKind, readonly number[]>> & Readonly<{ refused: number }>;
type AcceptKind = 'messages' | 'extractions';
const ACCEPT_KINDS: readonly AcceptKind[] = ['messages', 'extractions'];
type Round = Readonly<{ quiet: Accepted; beside: Accepted; searchesPerSecond: number; refused: number }>;

let accepts = 0;

/**
 * Sends requests at fixed intervals, each timed from when it was due: messages to extract later, and at once, in
 * turns.
 */
async function acceptPaced({ url }: Service, seconds: number): Promise<Accepted> {
  const times: Record<AcceptKind, number[]> = { messages: [], extractions: [] };
  let refused = 0;
  const startedAt = performance.now();
  await runPaced(ACCEPTS_PER_SECOND, seconds, async (turn) => {
    const dueAt = startedAt + (turn * 1_000) / ACCEPTS_PER_SECOND;
    const kind = ACCEPT_KINDS[turn % 2] ?? 'messages';
    accepts += 1;
    const path = kind === 'messages' ? `/v1/conversations/meanwhile-${accepts}/messages` : '/v1/extractions';
    const messages = [{ role: 'user', content: `I keep ${accepts} bees and would like to keep more.` }];
    try {
      await callJson(url + path, {}, { user_id: `other-${accepts}`, messages });
      times[kind].push(performance.now() - dueAt);
    } catch (error) {
      refused += 1;
      console.error(String(error));
    }
  });
  return { ...times, refused };
}

type Searches = Readonly<Record<string, (turn: number) => Ask>>;

async function searchWithoutPause({ url }: Service, searches: Searches, seconds: number) {
  const kinds = Object.values(searches);
  let refused = 0;
  const { perSecond } = await runClients(CLIENTS, seconds, async (turn) => {
    const ask = kinds[turn % kinds.length]?.(turn);
    if (ask === undefined) return;
    try {
      const answer = await callJson<{ degraded?: string | null }>(url + ask.path, {}, ask.body);
      if ((answer.degraded ?? null) !== null) throw new Error(`degraded: ${answer.degraded}`);
    } catch (error) {
      refused += 1;
      console.error(String(error));
    }
  });
  return { searchesPerSecond: perSecond, refused };
}

/** Milliseconds of processor time per search, by name. */
type Cost = Readonly<{ process: number; database: number }>;

/** Medians, because the service does other work beside some of them. */
async function measureCosts({ url, pid }: Service, searches: Searches, rounds: number) {
  const database = createThreadTime(pid, 'embedded-database');
  const costs = Object.fromEntries(
    Object.keys(searches).map((name) => [name, { process: [] as number[], database: [] as number[] }]),
  );
  // The first round warms up: query vectors are cached, and a user's second search builds the resident index.
  for (let round = -rounds; round < rounds; round += 1) {
    for (const [name, toAsk] of Object.entries(searches)) {
      const { path, body } = toAsk(Math.abs(round) % rounds);
      const before = [processorTimeOf(pid), database()] as const;
      await callJson(url + path, {}, body);
      if (round < 0) continue;
      costs[name]?.process.push(processorTimeOf(pid) - before[0]);
      costs[name]?.database.push(database() - before[1]);
    }
  }
  return Object.fromEntries(
    Object.entries(costs).map(([name, cost]): [string, Cost] => [
      name,
      { process: median(cost.process), database: median(cost.database) },
    ]),
  );
}

function rowsOfAccepting(rounds: readonly Round[], count: number): Row[] {
  const benchmark = 'embedded-search';
  const rows = ACCEPT_KINDS.flatMap((kind) => {
    const times = (which: 'quiet' | 'beside') => rounds.map((round) => round[which][kind]);
    const row = (percent: number): Row => {
      const of = (which: 'quiet' | 'beside') => times(which).map((one) => percentile(one, percent));
      const ratio = medianRatio(of('beside'), of('quiet'));
      return {
        benchmark,
        measure: `accepting ${kind} p${percent} beside ${CLIENTS} clients searching ${count} memories; baseline: quiet`,
        ours: inMs(percentile(times('beside').flat(), percent)),
        baseline: inMs(percentile(times('quiet').flat(), percent)),
        ratio,
        ...(percent === 95 ? { aim: { text: `≤ ${AIM_ACCEPTING}`, reached: ratio <= AIM_ACCEPTING } } : {}),
      };
    };
    return [row(50), row(95)];
  });
  const refused = rounds.reduce((sum, one) => sum + one.refused + one.quiet.refused + one.beside.refused, 0);
  return [
    ...rows,
    {
      benchmark,
      measure: `refused or degraded; ${median(rounds.map((one) => one.searchesPerSecond)).toFixed(0)} searches a second, load average ${loadavg()[0]?.toFixed(1)}`,
      ours: String(refused),
      aim: { text: '0', reached: refused === 0 },
    },
  ];
}

function rowsOfCosts(costs: Readonly<Record<string, Cost>>, count: number): Row[] {
  const unfiltered = costs['unfiltered'] ?? { process: Number.NaN, database: Number.NaN };
  return Object.entries(costs).map(([name, { process, database }]) => {
    const ratio = process / unfiltered.process;
    return {
      benchmark: 'embedded-search',
      measure: `processor time of a search (of the database thread), ${count} memories: ${name}; baseline: unfiltered`,
      ours: `${inMs(process)} (${inMs(database)})`,
      baseline: inMs(unfiltered.process),
      ratio,
      aim: { text: `≤ ${AIM_SEARCHING}`, reached: ratio <= AIM_SEARCHING },
    };
  });
}
