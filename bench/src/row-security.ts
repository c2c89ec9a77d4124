import { type Benchmark, grouped, inFineMs, inMs, type Row } from './benchmark.ts';
import { planUsers, type SizedUsers } from './large-plan.ts';
import { createLargeStage, type LargeStage, searchLarge } from './large-stage.ts';
import { runLoad } from './load.ts';
import { createProcessorTime } from './processor-time.ts';
import { percentilesOf, runClients } from './search-clients.ts';
import type { Service } from './start-service.ts';
import { median, medianRatio, runInterleaved } from './statistics.ts';

const AIM = 1.2;
const CONNECTIONS = 50;
const SEARCHES = [
  ['fused', 1],
  ['fused', 8],
  ['vector', 8],
  ['classic', 8],
] as const;
const SHAPE = { total: 200_000, users: 1_000, largest: 50_000 };
const QUICK = { total: 40_000, users: 200, largest: 21_000 };

/** Gateway and retrieval under one login. */
type Side = Readonly<{ gateway: Service; retrieval: Service }>;
type Sides = Readonly<{ ours: Side; baseline: Side }>;
type Measured = Readonly<{ perSecond: number; ms: number; processorMs: number }>;

/**
 * What row-level security costs: the same services on the same database in turns, as a user that the policies apply to
 * and as a superuser, for whom statements run as they are.
 */
export const rowSecurity: Benchmark = async ({ quick, profileDirectory }) => {
  const { total, users, largest } = quick ? QUICK : SHAPE;
  const plan = planUsers(total, users, largest);
  const large = await createLargeStage(plan, { profileDirectory });
  const { stage } = large;
  // With keys a service does not start as a superuser.
  const login = (url: string) => ({ AUTH: 'none', DATABASE_URL: url });
  const start = async (url: string): Promise<Side> => ({
    retrieval: await stage.start('retrieval', { ...large.modelEnv, ...login(url) }),
    gateway: await stage.start('gateway', login(url)),
  });
  try {
    const sides = {
      ours: await start(stage.env['DATABASE_URL'] ?? ''),
      baseline: await start(stage.databaseUrl),
    };
    const rows: Row[] = [];
    for (const size of plan.measured) rows.push(...(await searchRows(large, sides, size, quick)));
    return [...rows, ...(await acceptRows(large, sides, quick))];
  } finally {
    await large.close();
  }
};

async function searchRows(large: LargeStage, sides: Sides, size: SizedUsers, quick: boolean): Promise<Row[]> {
  const search = async (side: Side, mode: string, clients: number): Promise<Measured> => {
    const processorTime = await createProcessorTime([side.retrieval], large.stage.database);
    const before = processorTime();
    let searches = 0;
    const measured = await runClients(clients, quick ? 0.5 : 1.5, async (turn) => {
      searches += 1;
      const userId = size.userIds[turn % size.userIds.length] ?? '';
      const { text } = large.queries[turn % large.queries.length] ?? { text: '' };
      const { degraded } = await searchLarge({ ...large, retrieval: side.retrieval }, userId, text, { mode });
      if (degraded !== undefined) throw new Error(`a search was degraded: ${degraded}`);
    });
    const { p50: ms } = percentilesOf(measured);
    return { perSecond: measured.perSecond, ms, processorMs: (processorTime() - before) / searches };
  };
  const rows: Row[] = [];
  for (const [mode, clients] of SEARCHES) {
    const ours = () => search(sides.ours, mode, clients);
    const baseline = () => search(sides.baseline, mode, clients);
    await ours();
    await baseline();
    const results = await runInterleaved(quick ? 2 : 3, ours, baseline);
    const by = clients === 1 ? 'one client' : `${clients} clients`;
    rows.push(...rowsOf(`${mode}, ${grouped(size.memories)} memories, ${by}`, results, clients > 1));
  }
  return rows;
}

/** Alternates who begins, so that what a round leaves behind (checkpoints, vacuum) falls on both. */
async function acceptRows({ stage, headers }: LargeStage, sides: Sides, quick: boolean): Promise<Row[]> {
  const accept = async ({ gateway }: Side): Promise<Measured> => {
    const processorTime = await createProcessorTime([gateway], stage.database);
    const before = processorTime();
    const { requests, requestsPerSecond, p50Ms } = await runLoad({
      url: `${gateway.url}/v1/extractions`,
      headers,
      connections: CONNECTIONS,
      until: { seconds: quick ? 1 : 3 },
    });
    return { perSecond: requestsPerSecond, ms: p50Ms, processorMs: (processorTime() - before) / requests };
  };
  await accept(sides.ours);
  await accept(sides.baseline);
  const results: Record<keyof Sides, Measured[]> = { ours: [], baseline: [] };
  for (let round = 0; round < (quick ? 2 : 8); round += 1) {
    const names = ['ours', 'baseline'] as const;
    for (const name of round % 2 === 0 ? names : names.toReversed())
      results[name].push(await accept(sides[name]));
  }
  return rowsOf(`accept, ${CONNECTIONS} connections`, results, true);
}

function rowsOf(
  of: string,
  results: Readonly<Record<'ours' | 'baseline', readonly Measured[]>>,
  hasProcessorTime: boolean,
): Row[] {
  const row = (what: string, value: (measured: Measured) => number, format: (ms: number) => string): Row => {
    const [ours, baseline] = [results.ours.map(value), results.baseline.map(value)];
    return {
      benchmark: 'row-security',
      measure: `${of}: ${what}`,
      ours: format(median(ours)),
      baseline: format(median(baseline)),
      ratio: medianRatio(ours, baseline),
    };
  };
  const time = row('p50', ({ ms }) => ms, inMs);
  return [
    { ...time, aim: { text: `≤ ${AIM}`, reached: (time.ratio ?? Infinity) <= AIM } },
    ...(hasProcessorTime ? [row('processor time', ({ processorMs }) => processorMs, inFineMs)] : []),
  ];
}
