import { type Benchmark, grouped, inFineMs, type Row } from './benchmark.ts';
import { createInsertBaseline } from './insert-baseline.ts';
import { runLoad } from './load.ts';
import { countRows, measureEnds } from './measure-ends.ts';
import { createProcessorTime, processorTimeOf, type ProcessorTime } from './processor-time.ts';
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
    const measured = variants(model.url).map((variant) => ({ ...variant, ours: [] as Worked[] }));
    const baseline: Worked[] = [];
    const ofPostgres = await createProcessorTime([], stage.database);
    for (let round = 0; round < (quick ? 1 : 3); round += 1) {
      for (const { env, ours } of measured) {
        await acceptBacklog(stage, gateway, headers, backlog);
        ours.push(
          await workOff(
            { stage, ofPostgres, table: 'extractions', column: 'finished_at' },
            () => stage.start('extractor', env),
            backlog,
          ),
        );
        await assertExtracted(stage);
      }
      await inserts.add(backlog);
      baseline.push(
        await workOff(
          { stage, ofPostgres, table: 'bench_inserts', column: 'inserted_at' },
          () => inserts.startWorker(CONCURRENCY),
          backlog,
        ),
      );
    }
    await inserts.close();
    return measured.flatMap(({ name, ours }): Row[] => {
      const row = (measure: string, key: keyof Worked, format: (value: number) => string): Row => {
        const [left, right] = [ours.map((one) => one[key]), baseline.map((one) => one[key])];
        return {
          benchmark: 'jobs',
          measure: `${measure}, ${name}`,
          ours: format(median(left)),
          baseline: format(median(right)),
          ratio: medianRatio(left, right),
        };
      };
      const rate = row(`extractions/s, ${CONCURRENCY} at once`, 'perSecond', grouped);
      return [
        { ...rate, aim: { text: `≥ ${AIM}`, reached: (rate.ratio ?? 0) >= AIM } },
        row('processor time of an extraction in Node', 'nodeMs', inFineMs),
        row('processor time of an extraction in Postgres', 'postgresMs', inFineMs),
      ];
    });
  } finally {
    await stage.close();
  }
};

function acceptBacklog(
  stage: Stage,
  gateway: Service,
  headers: Record<string, string>,
  backlog: number,
): Promise<unknown> {
  return runLoad({
    url: `${gateway.url}/v1/extractions`,
    headers,
    connections: 20,
    until: { requests: backlog },
  });
}

/** Jobs per second, and milliseconds of processor time of one. */
type Worked = Readonly<{ perSecond: number; nodeMs: number; postgresMs: number }>;

type Counted = Readonly<{ stage: Stage; ofPostgres: ProcessorTime; table: string; column: string }>;

/** Starts a worker on a backlog and stops it when all of it is done. Its start is not counted. */
async function workOff(
  { stage, ofPostgres, table, column }: Counted,
  start: () => Promise<Service>,
  backlog: number,
): Promise<Worked> {
  const before = await countRows(stage, table, column);
  const worker = await start();
  const times = async () => ({
    done: await countRows(stage, table, column),
    node: processorTimeOf(worker.pid),
    postgres: ofPostgres(),
  });
  const first = await times();
  const perSecond = await measureEnds(stage, table, column, before, backlog);
  const last = await times();
  await worker.stop();
  const counted = last.done - first.done;
  return {
    perSecond,
    nodeMs: (last.node - first.node) / counted,
    postgresMs: (last.postgres - first.postgres) / counted,
  };
}

async function assertExtracted(stage: Stage): Promise<void> {
  const { rows } = await stage.database.query<Record<string, unknown>>(
    `select state, error_class, rejected, count(*) from extractions where state <> 'done' or added = 0 group by 1, 2, 3`,
  );
  if (rows.length > 0) throw new Error(`some extractions brought no memory: ${JSON.stringify(rows)}`);
}
