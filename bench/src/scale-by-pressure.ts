import { DEFAULT_TENANT_ID } from '@factmill/database';
import { createSimulatedExtractors } from '@factmill/testkit';
import { type Benchmark, grouped, inMs } from './benchmark.ts';
import { percentile } from './statistics.ts';
import { createStage } from './stage.ts';

const BURST = 20_000;
/** As in docs/operations/scaling.md. */
const RULES = {
  minReplicas: 1,
  maxReplicas: 20,
  targetAverage: 8,
  downStabilizationSeconds: 300,
  downPercent: 50,
  downPeriodSeconds: 60,
};
const CONCURRENCY = 10;
const MAX_STEPS = 400;

/** A burst in front of a simulated autoscaler, and how long the route that it asks takes meanwhile. */
export const scaleByPressure: Benchmark = async ({ quick, profileDirectory }) => {
  const stage = await createStage(profileDirectory);
  try {
    const gateway = await stage.start('gateway');
    const headers = { 'x-api-key': stage.env['ADMIN_API_KEY'] ?? '' };
    const times: number[] = [];
    const extractors = createSimulatedExtractors({
      sql: { query: (text, values = []) => stage.database.query(text, [...values]) },
      tenantId: DEFAULT_TENANT_ID,
      rules: RULES,
      concurrency: CONCURRENCY,
      async readMetric() {
        const startedAt = performance.now();
        const response = await fetch(`${gateway.url}/v1/queue/pressure`, { headers });
        times.push(performance.now() - startedAt);
        return ((await response.json()) as { wanted_slots: number }).wanted_slots;
      },
    });
    const burst = quick ? BURST / 20 : BURST;
    const replicas: number[] = [RULES.minReplicas];
    let drained = 0;
    for (let step = 1; step <= MAX_STEPS; step += 1) {
      const state = await extractors.step(step === 1 ? { arriving: burst } : {});
      replicas.push(state.replicas);
      if (state.open === 0 && drained === 0) drained = step;
      if (drained > 0 && state.replicas === RULES.minReplicas) break;
    }
    const directions = replicas.map((now, n) => Math.sign(now - (replicas[n - 1] ?? now))).filter(Boolean);
    const turns = directions.filter((move, n) => n > 0 && move !== directions[n - 1]).length;
    return [
      {
        benchmark: 'scale',
        measure: `autoscaler, a burst of ${grouped(burst)}: most replicas; steps of 15 s until it is worked off, and until 1 replica; turns`,
        ours: `${Math.max(...replicas)}; ${drained}, ${replicas.length - 1}; ${turns}`,
        aim: { text: '1 turn', reached: turns === 1 && replicas.at(-1) === RULES.minReplicas },
      },
      {
        benchmark: 'scale',
        measure: 'GET /v1/queue/pressure meanwhile, p50 / p95',
        ours: `${inMs(percentile(times, 50))} / ${inMs(percentile(times, 95))}`,
      },
    ];
  } finally {
    await stage.close();
  }
};
