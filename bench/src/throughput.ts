import { Redis } from 'ioredis';
import { type Benchmark, grouped, type Row } from './benchmark.ts';
import { runLoad } from './load.ts';
import { countRows, measureEnds } from './measure-ends.ts';
import { createBusyShare, createProcessorTime } from './processor-time.ts';
import { createStage, type Stage } from './stage.ts';

export const CONCURRENCY = 20;
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
        const backlog = quick ? Math.ceil(full / 10) : full;
        const { rate } = await extractBacklog(stage, { latencyMs, processes, backlog });
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

/**
 * Extractions per second, and processor time of one in extractors, Postgres, Redis and the scripted model, without the
 * start of processes; and which share of the machine's processors was used meanwhile.
 */
export async function extractBacklog(
  stage: Stage,
  { latencyMs, processes, backlog }: Readonly<{ latencyMs: number; processes: number; backlog: number }>,
): Promise<{ rate: number; processorMs: number; busy: number }> {
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
  const extractors = await Promise.all(
    Array.from({ length: processes }, () => stage.start('extractor', env)),
  );
  const redis = { pid: await redisPid(stage.redisUrl) };
  const processorTime = await createProcessorTime([...extractors, model, redis], stage.database);
  const busyShare = createBusyShare();
  const [done, used] = [await countRows(stage, 'extractions', 'finished_at'), processorTime()];
  const rate = await measureEnds(stage, 'extractions', 'finished_at', before, backlog);
  return {
    rate,
    processorMs: (processorTime() - used) / Math.max(1, before + backlog - done),
    busy: busyShare(),
  };
}

async function redisPid(url: string): Promise<number> {
  const redis = new Redis(url);
  try {
    return Number(/^process_id:(\d+)/m.exec(await redis.info('server'))?.[1]);
  } finally {
    redis.disconnect();
  }
}
