import { createThreadTime } from '@factmill/testkit';
import { inMs, type Row } from './benchmark.ts';
import { callJson } from './call-json.ts';
import type { Ask } from './embedded-asks.ts';
import { processorTimeOf } from './processor-time.ts';
import type { Service } from './start-service.ts';
import { median, percentile } from './statistics.ts';

const AIM = 2;

/** Milliseconds of one kind of search: p95 over HTTP, and processor time of the process and its database thread. */
type Measured = Readonly<{ p95: number; process: number; database: number }>;

/**
 * Sends each kind of search `rounds` times, one after the other. Processor times are medians, because the service does
 * other work beside some of them.
 */
export async function measureSearches(
  { url, pid }: Service,
  searches: Readonly<Record<string, (turn: number) => Ask>>,
  rounds: number,
): Promise<Readonly<Record<string, Measured>>> {
  const database = createThreadTime(pid, 'embedded-database');
  const samples = Object.keys(searches).map((name) => ({
    name,
    elapsed: [] as number[],
    process: [] as number[],
    database: [] as number[],
  }));
  // The first round warms up: query vectors are cached, and a user's second search builds the resident index.
  for (let round = -rounds; round < rounds; round += 1) {
    for (const sample of samples) {
      const ask = searches[sample.name]?.(Math.abs(round) % rounds);
      if (ask === undefined) continue;
      const before = [performance.now(), processorTimeOf(pid), database()] as const;
      await callJson(url + ask.path, {}, ask.body);
      const elapsed = performance.now() - before[0];
      if (round < 0) continue;
      sample.elapsed.push(elapsed);
      sample.process.push(processorTimeOf(pid) - before[1]);
      sample.database.push(database() - before[2]);
    }
  }
  return Object.fromEntries(
    samples.map(({ name, elapsed, process, database: ofDatabase }): [string, Measured] => [
      name,
      { p95: percentile(elapsed, 95), process: median(process), database: median(ofDatabase) },
    ]),
  );
}

/** The kind of search with the most processor time. */
export function slowestOf(measured: Readonly<Record<string, Measured>>): string {
  const [first] = Object.entries(measured).toSorted(([, left], [, right]) => right.process - left.process);
  return first?.[0] ?? '';
}

export function rowsOfSearches(measured: Readonly<Record<string, Measured>>, count: number): Row[] {
  const plain = measured['unfiltered'] ?? { process: Number.NaN };
  return Object.entries(measured).map(([name, { p95, process, database }]) => {
    const ratio = process / plain.process;
    return {
      benchmark: 'embedded',
      measure: `search of ${count} memories, ${name}: p95 ${inMs(p95)}; processor time (of the database thread), baseline: unfiltered`,
      ours: `${inMs(process)} (${inMs(database)})`,
      baseline: inMs(plain.process),
      ratio,
      aim: { text: `≤ ${AIM}`, reached: ratio <= AIM },
    };
  });
}
