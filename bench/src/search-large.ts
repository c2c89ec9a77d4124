import { loadavg } from 'node:os';
import { type Benchmark, grouped, inMs, type Row } from './benchmark.ts';
import { planUsers, type LargePlan, type SizedUsers } from './large-plan.ts';
import {
  createLargeStage,
  type LargeSearch,
  type LargeStage,
  searchBare,
  searchLarge,
} from './large-stage.ts';
import type { LargeQuery } from './large-vectors.ts';
import { measureRecall, verifyCompleteness } from './search-truth.ts';
import { LARGE_USER } from './seed-large.ts';
import { type Measured, percentilesOf, runClients, type SearchOnce } from './search-clients.ts';

const CLIENTS = 8;
const LIMIT = 15;
const MODES = ['vector', 'classic', 'enhanced', 'fused'] as const;
type Mode = (typeof MODES)[number];

const SMALL = { total: 10_000, users: 100, largest: 0 };
const LARGE = { total: 1_000_000, users: 10_000, largest: 50_000 };
const QUICK = { total: 40_000, users: 200, largest: 21_000 };

const AIMS = { p95Ms: 25, p95OfLargeMs: 40, recall: 0.98, growth: 1.5 };

/** The measurements for users of one size: by mode, and the plain statement of the vector channel. */
type OfSize = Readonly<{
  users: SizedUsers;
  byMode: Readonly<Record<Mode | 'one fused' | 'bare', Measured>>;
}>;

/**
 * A million memories of 10,000 users, searched by 8 clients at once in each mode and by a plain SQL statement; before
 * that the same users in a database of 10,000 memories.
 */
export const searchLargeBenchmark: Benchmark = async ({ quick, profileDirectory, keptDatabase }) => {
  const seconds = quick ? 2 : 6;
  const shapes = quick ? [SMALL, QUICK] : [SMALL, LARGE];
  const rows: Row[] = [];
  let before: readonly OfSize[] = [];
  for (const shape of shapes) {
    const plan = planUsers(shape.total, shape.users, shape.largest);
    const isLarge = shape !== SMALL;
    const large = await createLargeStage(plan, {
      profileDirectory,
      keptDatabase: isLarge ? keptDatabase : undefined,
    });
    try {
      rows.push(...loadRows(plan, large));
      const load = [loadavg()[0]];
      const sizes: OfSize[] = [];
      for (const users of plan.measured) sizes.push(await measureSize(large, users, seconds));
      load.push(loadavg()[0]);
      rows.push(...sizes.flatMap((size) => rowsOf(plan, size)));
      if (isLarge) {
        rows.push(...growthRows(before, sizes));
        rows.push(...(await recallRows(large, plan, quick ? 40 : 100)));
        rows.push(await completenessRow(large, plan, quick ? 5 : 15));
      }
      rows.push(
        rowOf(
          `load average before and after, ${named(plan)}`,
          load.map((one) => one?.toFixed(1)).join(' / '),
        ),
      );
      before = sizes;
    } finally {
      await large.close();
    }
  }
  return rows;
};

async function measureSize(large: LargeStage, users: SizedUsers, seconds: number): Promise<OfSize> {
  const pick = (turn: number): [string, LargeQuery] => [
    users.userIds[turn % users.userIds.length] ?? '',
    large.queries[turn % large.queries.length] ?? { text: '', vector: [] },
  ];
  const expected = Math.min(LIMIT, users.memories);
  const overHttp =
    (mode: Mode): SearchOnce =>
    async (turn) => {
      const [userId, { text }] = pick(turn);
      const found = await searchLarge(
        large,
        userId,
        text,
        mode === 'classic' ? { mode } : { mode, limit: LIMIT },
      );
      const count = countOf(found);
      // Classic mode finds memories with the words, and has its own limit, so its expected number is counted
      // separately.
      if (mode !== 'classic' && count < expected) throw new Error(`${mode} found ${count} of ${expected}`);
    };
  const bare: SearchOnce = async (turn) => {
    const [userId, query] = pick(turn);
    await searchBare(large, userId, query, LIMIT);
  };
  return {
    users,
    byMode: {
      bare: await runClients(CLIENTS, seconds, bare),
      vector: await runClients(CLIENTS, seconds, overHttp('vector')),
      classic: await runClients(CLIENTS, seconds, overHttp('classic')),
      enhanced: await runClients(CLIENTS, seconds, overHttp('enhanced')),
      fused: await runClients(CLIENTS, seconds, overHttp('fused')),
      'one fused': await runClients(1, seconds, overHttp('fused')),
    },
  };
}

/** Results, plus the duplicates that they stand for. */
function countOf({ results, degraded }: LargeSearch): number {
  if (degraded !== undefined) throw new Error(`a search was degraded: ${degraded}`);
  return results.reduce((count, { duplicate_ids: duplicates }) => count + 1 + (duplicates?.length ?? 0), 0);
}

function rowsOf(plan: LargePlan, { users: { memories }, byMode }: OfSize): Row[] {
  const where = `${grouped(memories)} of ${named(plan)}`;
  const aimMs = memories > LARGE_USER ? AIMS.p95OfLargeMs : AIMS.p95Ms;
  const bare = percentilesOf(byMode.bare);
  return [
    ...MODES.map((mode): Row => {
      const { p95 } = percentilesOf(byMode[mode]);
      return {
        ...rowOf(`${mode}, ${where}`, summary(byMode[mode])),
        baseline: summary(byMode.bare),
        ratio: p95 / bare.p95,
        ...(mode === 'fused' ? { aim: { text: `p95 ≤ ${aimMs} ms`, reached: p95 <= aimMs } } : {}),
      };
    }),
    {
      ...rowOf(`fused, ${where}, one client`, summary(byMode['one fused'])),
      aim: {
        text: `p95 ≤ ${aimMs} ms`,
        reached: percentilesOf(byMode['one fused']).p95 <= aimMs,
      },
    },
  ];
}

function growthRows(before: readonly OfSize[], after: readonly OfSize[]): Row[] {
  return before.flatMap(({ users: { memories }, byMode }) => {
    const now = after.find((size) => size.users.memories === memories);
    if (now === undefined) return [];
    return (['fused', 'one fused'] as const).map((name): Row => {
      const ratio = percentilesOf(now.byMode[name]).p95 / percentilesOf(byMode[name]).p95;
      return {
        ...rowOf(
          `p95 of fused against 10,000 memories in all, ${grouped(memories)} memories${name === 'fused' ? '' : ', one client'}`,
          inMs(percentilesOf(now.byMode[name]).p95),
        ),
        baseline: inMs(percentilesOf(byMode[name]).p95),
        ratio,
        aim: { text: `≤ ${AIMS.growth}`, reached: ratio <= AIMS.growth },
      };
    });
  });
}

async function recallRows(large: LargeStage, plan: LargePlan, queries: number): Promise<Row[]> {
  const rows: Row[] = [];
  for (const users of plan.measured) {
    const recall = await measureRecall(large, users, queries);
    rows.push({
      ...rowOf(
        `recall@10 of the vector channel, ${grouped(users.memories)} of ${named(plan)}`,
        recall.toFixed(3),
      ),
      aim: { text: `≥ ${AIMS.recall}`, reached: recall >= AIMS.recall },
    });
  }
  return rows;
}

async function completenessRow(large: LargeStage, plan: LargePlan, queries: number): Promise<Row> {
  const { searches, lacking } = await verifyCompleteness(large, plan, queries);
  return {
    ...rowOf(`searches with fewer than min(k, matching), of ${grouped(searches)}`, String(lacking)),
    aim: { text: '0', reached: lacking === 0 },
  };
}

function loadRows(plan: LargePlan, { loaded }: LargeStage): Row[] {
  if (loaded === null) return [];
  const seconds = (ms: number) => `${grouped(ms / 1_000)} s`;
  const { rowsMs, indexesMs } = loaded;
  return [rowOf(`loading rows / indexes, ${named(plan)}`, `${seconds(rowsMs)} / ${seconds(indexesMs)}`)];
}

function summary(measured: Measured): string {
  const { p50, p95, p99 } = percentilesOf(measured);
  return `${inMs(p50)} / ${inMs(p95)} / ${inMs(p99)}, ${grouped(measured.perSecond)}/s`;
}

const rowOf = (measure: string, ours: string): Row => ({ benchmark: 'search-large', measure, ours });

const named = ({ total }: LargePlan) => grouped(total);
