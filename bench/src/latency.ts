import { randomUUID } from 'node:crypto';
import { waitFor } from '@factmill/testkit';
import { type Benchmark, inMs, type Row } from './benchmark.ts';
import { callJson } from './call-json.ts';
import { createInsertBaseline, type InsertBaseline } from './insert-baseline.ts';
import { nextExtractionBody } from './load.ts';
import { createStage, type Stage } from './stage.ts';
import { percentile } from './statistics.ts';

const AIM_MS = 150;
const ARRIVALS_PER_SECOND = 5;
const POLL_MS = 5;
const POLLING = { intervalMs: POLL_MS, timeoutMs: 20_000, describe: 'the message to be searchable' };

/** Milliseconds of one message, in total and by part. */
type Sample = Readonly<Record<'total' | 'accept' | 'queued' | 'model' | 'embed' | 'apply', number>>;

/**
 * From sending a message until a search over HTTP finds its memory; local embeddings, a model that answers at once.
 */
export const latency: Benchmark = async ({ quick, profileDirectory }) => {
  const stage = await createStage(profileDirectory);
  try {
    const inserts = await createInsertBaseline(stage);
    const model = await stage.startProgram('instant-model', { hasHttp: true });
    const local = { EMBEDDING_PROVIDER: 'local', LLM_BASE_URL: model.url, LLM_MODEL: 'instant' };
    const retrieval = await stage.start('retrieval', local);
    const gateway = await stage.start('gateway', { ...local, RETRIEVAL_URL: retrieval.url });
    await stage.start('extractor', local);
    await inserts.startWorker(10);
    const headers = await stage.createClientHeaders(gateway);
    const measure = () => measureMessage(gateway.url, headers);

    for (let round = 0; round < 10; round += 1) await measure();
    const sequential: Sample[] = [];
    const baseline: number[] = [];
    for (let round = 0; round < (quick ? 5 : 50); round += 1) {
      sequential.push(await measure());
      baseline.push(await measureInsert(stage, inserts));
    }
    await inserts.close();
    const loaded = await atRate(quick ? 10 : 60, measure);
    return [
      ...rows('one after the other', sequential, baseline),
      ...rows(`${ARRIVALS_PER_SECOND} a second`, loaded, baseline),
      ...(['accept', 'queued', 'model', 'embed', 'apply'] as const).map((part) =>
        row(`of it ${part}`, sequential, part),
      ),
    ];
  } finally {
    await stage.close();
  }
};

function rows(how: string, samples: readonly Sample[], baseline: readonly number[]): Row[] {
  const totals = samples.map((sample) => sample.total);
  return [50, 95].map((percent): Row => {
    const [ours, theirs] = [percentile(totals, percent), percentile(baseline, percent)];
    const aim = { text: `≤ ${AIM_MS} ms`, reached: ours <= AIM_MS };
    return {
      benchmark: 'latency',
      measure: `message to searchable p${percent}, ${how}`,
      ours: inMs(ours),
      baseline: inMs(theirs),
      ratio: ours / theirs,
      ...(percent === 95 ? { aim } : {}),
    };
  });
}

function row(measure: string, samples: readonly Sample[], part: keyof Sample): Row {
  const values = samples.map((sample) => sample[part]);
  return {
    benchmark: 'latency',
    measure: `${measure}, p50 / p95`,
    ours: `${inMs(percentile(values, 50))} / ${inMs(percentile(values, 95))}`,
  };
}

/** Starts `count` measurements at a fixed rate, whether or not earlier ones have ended. */
async function atRate(count: number, measure: () => Promise<Sample>): Promise<Sample[]> {
  const running: Promise<Sample>[] = [];
  const startedAt = performance.now();
  while (running.length < count) {
    const due = startedAt + (running.length * 1_000) / ARRIVALS_PER_SECOND;
    await new Promise((resolve) => setTimeout(resolve, Math.max(0, due - performance.now())));
    running.push(measure());
  }
  return Promise.all(running);
}

/** Every message belongs to its own user, so any hit is its memory. */
async function measureMessage(gatewayUrl: string, headers: Record<string, string>): Promise<Sample> {
  const { user_id, messages } = nextExtractionBody();
  const startedAt = performance.now();
  const accepted = await callJson<{ extraction: { id: string } }>(
    `${gatewayUrl}/v1/conversations/${randomUUID()}/messages`,
    headers,
    { user_id, messages, extract: 'now' },
  );
  const accept = performance.now() - startedAt;
  const query = { user_id, query: 'Which code word should be kept in mind?' };
  await waitFor(async () => {
    const { results } = await callJson<{ results: unknown[] }>(
      `${gatewayUrl}/v1/memories/search`,
      headers,
      query,
    );
    return results.length > 0;
  }, POLLING);
  const total = performance.now() - startedAt;
  const { timings } = await callJson<{
    timings: Record<'queued_ms' | 'model_ms' | 'embed_ms' | 'apply_ms', number>;
  }>(`${gatewayUrl}/v1/extractions/${accepted.extraction.id}`, headers);
  const { queued_ms: queued, model_ms: modelMs, embed_ms: embed, apply_ms: apply } = timings;
  return { total, accept, queued, model: modelMs, embed, apply };
}

/** The minimum of queue and database: add a job, have it insert a row, see the row. */
async function measureInsert(stage: Stage, inserts: InsertBaseline): Promise<number> {
  const startedAt = performance.now();
  const [id] = await inserts.add(1);
  await waitFor(async () => {
    const { rowCount } = await stage.database.query('select 1 from bench_inserts where id = $1::uuid', [id]);
    return rowCount === 1;
  }, POLLING);
  return performance.now() - startedAt;
}
