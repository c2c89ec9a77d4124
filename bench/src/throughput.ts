import { type Benchmark, grouped, type Row } from './benchmark.ts';
import { runLoad } from './load.ts';
import { countRows, measureEnds } from './measure-ends.ts';
import { createStage, type Stage } from './stage.ts';

const CONCURRENCY = 20;
const LATENCIES_MS = [0, 200, 1_000] as const;
const PROCESSES = [1, 3] as const;
/** Duration of each measure when the limit is reached. */
const SECONDS = 12;
/** Here the machine is the limit; enough work to reach it. */
const INSTANT_BACKLOG = 2_000;

/**
 * Extractions per second by model latency and number of processes, against the bound by waiting for the model alone:
 * processes × concurrency ÷ latency.
 */
export const throughput: Benchmark = async ({ quick, profileDirectory }) => {
  const rows: Row[] = [];
  for (const latencyMs of LATENCIES_MS) {
    for (const processes of PROCESSES) {
      const stage = await createStage(profileDirectory);
      try {
        const limit = latencyMs === 0 ? null : (processes * CONCURRENCY * 1_000) / latencyMs;
        const full = limit === null ? INSTANT_BACKLOG : Math.min(limit * SECONDS, INSTANT_BACKLOG);
        const rate = await extractBacklog(stage, latencyMs, processes, quick ? Math.ceil(full / 10) : full);
        rows.push({
          benchmark: 'throughput',
          measure: `extractions/s, model ${latencyMs} ms, ${processes} × ${CONCURRENCY} at once`,
          ours: grouped(rate),
          ...(limit === null ? {} : { baseline: `${grouped(limit)} (limit)`, ratio: rate / limit }),
        });
      } finally {
        await stage.close();
      }
    }
  }
  return rows;
};

async function extractBacklog(
  stage: Stage,
  latencyMs: number,
  processes: number,
  backlog: number,
): Promise<number> {
  const gateway = await stage.start('gateway');
  const headers = await stage.createClientHeaders(gateway);
  const model = await stage.startProgram('instant-model', {
    env: { LATENCY_MS: String(latencyMs) },
    hasHttp: true,
  });
  await runLoad({
    url: `${gateway.url}/v1/extractions`,
    headers,
    connections: 20,
    until: { requests: backlog },
  });
  const before = await countRows(stage, 'extractions', 'finished_at');
  const env = {
    LLM_BASE_URL: model.url,
    LLM_MODEL: 'instant',
    EMBEDDING_PROVIDER: 'none',
    EXTRACTOR_CONCURRENCY: String(CONCURRENCY),
    DATABASE_POOL_MAX: String(CONCURRENCY),
  };
  await Promise.all(Array.from({ length: processes }, () => stage.start('extractor', env)));
  return measureEnds(stage, 'extractions', 'finished_at', before, backlog);
}
