import { type Benchmark, grouped, type Row } from './benchmark.ts';
import { createInsertBaseline, type InsertBaseline } from './insert-baseline.ts';
import { runLoad } from './load.ts';
import { countRows, measureEnds } from './measure-ends.ts';
import { createStage, type Stage } from './stage.ts';
import type { Service } from './start-service.ts';
import { median, medianRatio } from './statistics.ts';

const CONCURRENCY = 20;
const AIM = 0.4;

/**
 * Settings of the extractor for the two measures: without vectors, and with an endpoint that returns them at once.
 */
function variants(modelUrl: string): readonly { name: string; env: Record<string, string> }[] {
  const chat = {
    LLM_BASE_URL: modelUrl,
    LLM_MODEL: 'instant',
    EXTRACTOR_CONCURRENCY: String(CONCURRENCY),
    DATABASE_POOL_MAX: String(CONCURRENCY),
  };
  return [
    { name: 'without vectors', env: { ...chat, EMBEDDING_PROVIDER: 'none' } },
    { name: 'with vectors', env: { ...chat, EMBEDDING_PROVIDER: 'openai', EMBEDDING_MODEL: 'instant' } },
  ];
}

/** Processing a backlog with a model that answers at once, against a BullMQ worker that inserts one row per job. */
export const jobs: Benchmark = async ({ quick, profileDirectory }) => {
  const stage = await createStage(profileDirectory);
  try {
    const inserts = await createInsertBaseline(stage);
    const gateway = await stage.start('gateway');
    const headers = await stage.createClientHeaders(gateway);
    const model = await stage.startProgram('instant-model', { hasHttp: true });
    const backlog = quick ? 200 : 2_000;
    const measured = variants(model.url).map((variant) => ({ ...variant, ours: [] as number[] }));
    const baseline: number[] = [];
    for (let round = 0; round < (quick ? 1 : 3); round += 1) {
      for (const { env, ours } of measured) {
        ours.push(await extractBacklog(stage, gateway, headers, env, backlog));
      }
      baseline.push(await insertBacklog(stage, inserts, backlog));
    }
    await inserts.close();
    return measured.map(({ name, ours }): Row => {
      const ratio = medianRatio(ours, baseline);
      return {
        benchmark: 'jobs',
        measure: `extractions/s, ${CONCURRENCY} at once, ${name}`,
        ours: grouped(median(ours)),
        baseline: grouped(median(baseline)),
        ratio,
        aim: { text: `≥ ${AIM}`, reached: ratio >= AIM },
      };
    });
  } finally {
    await stage.close();
  }
};

/** Lets the gateway accept a backlog, then starts an extractor on it. Extractions per second. */
async function extractBacklog(
  stage: Stage,
  gateway: Service,
  headers: Record<string, string>,
  env: Record<string, string>,
  backlog: number,
): Promise<number> {
  const before = await countRows(stage, 'extractions');
  await runLoad({
    url: `${gateway.url}/v1/extractions`,
    headers,
    connections: 20,
    until: { requests: backlog },
  });
  const extractor = await stage.start('extractor', env);
  const rate = await measureEnds(stage, 'extractions', 'finished_at', before, backlog);
  await extractor.stop();
  const { rows } = await stage.database.query<Record<string, unknown>>(
    `select state, error_class, rejected, count(*) from extractions where state <> 'done' or added = 0 group by 1, 2, 3`,
  );
  if (rows.length > 0) throw new Error(`some extractions brought no memory: ${JSON.stringify(rows)}`);
  return rate;
}

async function insertBacklog(stage: Stage, inserts: InsertBaseline, backlog: number): Promise<number> {
  const before = await countRows(stage, 'bench_inserts');
  await inserts.add(backlog);
  const worker = await inserts.startWorker(CONCURRENCY);
  const rate = await measureEnds(stage, 'bench_inserts', 'inserted_at', before, backlog);
  await worker.stop();
  return rate;
}
