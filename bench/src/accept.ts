import { type Benchmark, grouped, inMs, type Row } from './benchmark.ts';
import { type Load, runLoad } from './load.ts';
import { createStage } from './stage.ts';
import { median, medianRatio, runInterleaved } from './statistics.ts';

const CONNECTIONS = 50;
const AIM = 0.7;

/** Accepting requests over HTTP, against a handler that only calls `queue.add`. */
export const accept: Benchmark = async ({ quick, profileDirectory }) => {
  const stage = await createStage(profileDirectory);
  try {
    const gateway = await stage.start('gateway');
    const headers = await stage.createClientHeaders(gateway);
    const baseline = await stage.startProgram('queue-add-server', {
      env: { REDIS_URL: stage.redisUrl, QUEUE_PREFIX: stage.prefix },
      hasHttp: true,
    });
    const load = (url: string, seconds: number): Promise<Load> =>
      runLoad({ url, headers, connections: CONNECTIONS, until: { seconds } });
    const ours = (seconds: number) => load(`${gateway.url}/v1/extractions`, seconds);

    await ours(quick ? 1 : 3);
    await load(baseline.url, quick ? 1 : 3);
    const seconds = quick ? 1 : 5;
    const results = await runInterleaved(
      quick ? 2 : 4,
      () => ours(seconds),
      () => load(baseline.url, seconds),
    );

    const row = (measure: string, of: (load: Load) => number, format: (value: number) => string): Row => {
      const [left, right] = [results.ours.map(of), results.baseline.map(of)];
      return {
        benchmark: 'accept',
        measure,
        ours: format(median(left)),
        baseline: format(median(right)),
        ratio: medianRatio(left, right),
      };
    };
    const throughput = row(
      `requests/s, ${CONNECTIONS} connections`,
      (load) => load.requestsPerSecond,
      grouped,
    );
    return [
      { ...throughput, aim: { text: `≥ ${AIM}`, reached: (throughput.ratio ?? 0) >= AIM } },
      row('p50', (load) => load.p50Ms, inMs),
      row('p99', (load) => load.p99Ms, inMs),
    ];
  } finally {
    await stage.close();
  }
};
