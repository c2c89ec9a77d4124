import { type Benchmark, grouped, inFineMs, inMs, type Row } from './benchmark.ts';
import { type Load, runLoad } from './load.ts';
import { createProcessorTime, processorTimeOf } from './processor-time.ts';
import { createStage } from './stage.ts';
import type { Service } from './start-service.ts';
import { median, medianRatio, runInterleaved } from './statistics.ts';

const CONNECTIONS = 50;
const AIM = 0.7;

/** With the processor time of a request, in milliseconds. */
type Measured = Load & Readonly<{ nodeMs: number; postgresMs: number }>;

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
    const ofPostgres = await createProcessorTime([], stage.database);
    const load = async ({ pid }: Service, url: string, seconds: number): Promise<Measured> => {
      const before = [processorTimeOf(pid), ofPostgres()] as const;
      const measured = await runLoad({ url, headers, connections: CONNECTIONS, until: { seconds } });
      const { requests } = measured;
      return {
        ...measured,
        nodeMs: (processorTimeOf(pid) - before[0]) / requests,
        postgresMs: (ofPostgres() - before[1]) / requests,
      };
    };
    const ours = (seconds: number) => load(gateway, `${gateway.url}/v1/extractions`, seconds);
    const theirs = (seconds: number) => load(baseline, baseline.url, seconds);

    await ours(quick ? 1 : 3);
    await theirs(quick ? 1 : 3);
    const seconds = quick ? 1 : 5;
    const results = await runInterleaved(
      quick ? 2 : 4,
      () => ours(seconds),
      () => theirs(seconds),
    );

    const row = (measure: string, of: (load: Measured) => number, format: (value: number) => string): Row => {
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
      row('processor time of a request in Node', (load) => load.nodeMs, inFineMs),
      {
        benchmark: 'accept',
        measure: 'processor time of a request in Postgres',
        ours: inFineMs(median(results.ours.map((load) => load.postgresMs))),
      },
    ];
  } finally {
    await stage.close();
  }
};
