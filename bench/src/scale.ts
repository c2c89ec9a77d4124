import { cpus } from 'node:os';
import { type Benchmark, grouped, inMs, type Row } from './benchmark.ts';
import { toTable } from './report.ts';
import { scaleByPressure } from './scale-by-pressure.ts';
import { scaleSearches } from './scale-searches.ts';
import { scaleTenants } from './scale-tenants.ts';
import { createStage } from './stage.ts';
import { CONCURRENCY, extractBacklog } from './throughput.ts';

const LATENCIES_MS = [200, 1_000] as const;
const PROCESSES = [1, 2, 4] as const;
const AIM = 0.9;
/** Duration of each measure when the limit is reached. */
const SECONDS = 12;

/** What more processes and more tenants change. What each part has found is printed at once, because all take long. */
export const scale: Benchmark = async (options) => {
  const rows: Row[] = [];
  for (const part of [scaleExtraction, scaleSearches, scaleTenants, scaleByPressure]) {
    const found = await part(options);
    console.error(toTable(found));
    rows.push(...found);
  }
  return rows;
};

/** Extractions per second, against the bound by waiting for the model and against what the processors allow. */
const scaleExtraction: Benchmark = async ({ quick, profileDirectory }) => {
  const rows: Row[] = [];
  for (const latencyMs of LATENCIES_MS) {
    for (const processes of PROCESSES) {
      const stage = await createStage(profileDirectory);
      try {
        const limit = (processes * CONCURRENCY * 1_000) / latencyMs;
        const full = limit * SECONDS;
        const backlog = quick ? Math.ceil(full / 10) : full;
        rows.push(
          ...rowsOf(
            latencyMs,
            processes,
            limit,
            await extractBacklog(stage, { latencyMs, processes, backlog }),
          ),
        );
      } finally {
        await stage.close();
      }
    }
  }
  return rows;
};

function rowsOf(
  latencyMs: number,
  processes: number,
  limit: number,
  { rate, processorMs, busy }: Readonly<{ rate: number; processorMs: number; busy: number }>,
): Row[] {
  const ratio = rate / limit;
  return [
    {
      benchmark: 'scale',
      measure: `extractions/s, model ${latencyMs} ms, ${processes} × ${CONCURRENCY} at once`,
      ours: grouped(rate),
      baseline: `${grouped(limit)} (limit)`,
      ratio,
      aim: { text: `≥ ${AIM}`, reached: ratio >= AIM },
    },
    {
      benchmark: 'scale',
      measure:
        'of it processor time of extractors, Postgres, Redis and the model for each; share of the processors in use',
      ours: `${inMs(processorMs)}; ${busy.toFixed(2)}`,
      baseline: `${grouped((cpus().length * 1_000) / processorMs)}/s of all processors`,
    },
  ];
}
