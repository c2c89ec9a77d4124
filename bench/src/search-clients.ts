import { percentile } from './statistics.ts';

/** Milliseconds of each search, and how many there were in a second. */
export type Measured = Readonly<{ times: readonly number[]; perSecond: number }>;

/** One search; `turn` counts up, so that queries differ. */
export type SearchOnce = (turn: number) => Promise<void>;

/** Clients that each search again as soon as they are answered. The first fifth of the time is warm-up. */
export async function runClients(clients: number, seconds: number, search: SearchOnce): Promise<Measured> {
  const startedAt = performance.now();
  const measuredFrom = startedAt + seconds * 200;
  const until = measuredFrom + seconds * 1_000;
  const times: number[] = [];
  let turn = 0;
  async function client(): Promise<void> {
    for (let from = performance.now(); from < until; from = performance.now()) {
      turn += 1;
      await search(turn);
      const to = performance.now();
      if (from >= measuredFrom && to <= until) times.push(to - from);
    }
  }
  await Promise.all(Array.from({ length: clients }, client));
  return { times, perSecond: times.length / seconds };
}

/**
 * Searches at fixed intervals, whether or not earlier ones have been answered. Each is timed from when it was due, so
 * that a stall counts.
 */
export async function runPaced(perSecond: number, seconds: number, search: SearchOnce): Promise<Measured> {
  const startedAt = performance.now();
  const times: number[] = [];
  const running: Promise<void>[] = [];
  for (let turn = 0; turn < perSecond * seconds; turn += 1) {
    const dueAt = startedAt + (turn * 1_000) / perSecond;
    const early = dueAt - performance.now();
    if (early > 0) await new Promise((resolve) => setTimeout(resolve, early));
    running.push(search(turn).then(() => void times.push(performance.now() - dueAt)));
  }
  await Promise.all(running);
  return { times, perSecond: (times.length * 1_000) / (performance.now() - startedAt) };
}

export function percentilesOf({ times }: Measured): { p50: number; p95: number; p99: number } {
  return { p50: percentile(times, 50), p95: percentile(times, 95), p99: percentile(times, 99) };
}
