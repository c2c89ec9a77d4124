import { setTimeout as delay } from 'node:timers/promises';
import { waitFor, patiently } from '@factmill/testkit';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import type { ServiceProcess } from '../support/service-process.ts';
import { CONCURRENCY, expectedOutcome, type FaultStand, openFaultStand } from './fault-stand.ts';

/**
 * Ten minutes of outage in 20 s: the defaults (a try every 5 s, a model that hangs for 60 s, Retry-After 60 s) divided by
 * 30.
 */
const SCALE = 30;
const PROBE_INTERVAL_MS = Math.ceil(5_000 / SCALE);
const PHASE_MS = 150_000 / SCALE;
const RETRY_AFTER_SECONDS = 60 / SCALE;
const EXTRACTIONS = 120;

let stand: FaultStand;
beforeAll(async () => {
  stand = await openFaultStand({
    BREAKER_PROBE_INTERVAL_MS: String(PROBE_INTERVAL_MS),
    RETRY_INTERVAL_MS: String(PROBE_INTERVAL_MS),
    LLM_TIMEOUT_MS: String(60_000 / SCALE),
  });
});
afterAll(() => stand.close());

/** Calls to the model that these extractors have ended, well or badly; also those that nobody answered. */
async function endedCalls(extractors: readonly ServiceProcess[]): Promise<number> {
  const counts = await Promise.all(
    extractors.map(async ({ url }) => {
      const metrics = await (await fetch(`${url}/metrics`)).text();
      return [...metrics.matchAll(/^factmill_model_call_duration_seconds_count\{[^}]*\} (\d+)/gm)]
        .map(([, count]) => Number(count))
        .reduce((sum, count) => sum + count, 0);
    }),
  );
  return counts.reduce((sum, count) => sum + count, 0);
}

/** How many calls come in a phase, and how many may: one per interval, and one at either end. */
async function watchPhase(count: () => Promise<number>): Promise<{ calls: number; allowed: number }> {
  const startedAt = performance.now();
  const before = await count();
  await delay(PHASE_MS);
  const calls = (await count()) - before;
  return { calls, allowed: (performance.now() - startedAt) / PROBE_INTERVAL_MS + 2 };
}

function expectBounded(name: string, { calls, allowed }: { calls: number; allowed: number }): void {
  // The provider is tried throughout, but never more often than it should be.
  expect({ name, tried: calls >= 3, bounded: calls <= allowed }).toEqual({
    name,
    tried: true,
    bounded: true,
  });
}

/** How many calls came in each `lengthMs`, counted from the first call after the one before. */
function inWaves(times: readonly number[], lengthMs: number): number[] {
  const waves: { fromMs: number; calls: number }[] = [];
  for (const time of times) {
    const last = waves.at(-1);
    if (last === undefined || time - last.fromMs >= lengthMs) waves.push({ fromMs: time, calls: 1 });
    else last.calls++;
  }
  return waves.map(({ calls }) => calls);
}

const isDown = async (): Promise<boolean> =>
  (await stand.database.query('select 1 from provider_breakers where opened_at is not null')).rowCount > 0;

test('ten minutes without a model burn no attempt, are sat out with few tries, and everything is done afterwards', async () => {
  const extractors = await Promise.all([1, 2, 3].map(() => stand.startExtractor()));
  await stand.accept(0, 10);
  await stand.untilDone(0, 10, 10);

  // Refused. What was under way and the calls that find out are all that come on top of the tries.
  const beforeOutage = await endedCalls(extractors);
  await stand.stopModel();
  await stand.accept(10, EXTRACTIONS / 2);
  await waitFor(isDown, { describe: 'the outage to be noticed' });
  expect((await endedCalls(extractors)) - beforeOutage).toBeLessThanOrEqual(
    4 * CONCURRENCY * extractors.length,
  );
  // Every extractor has ended the calls that had begun before that.
  await delay(PROBE_INTERVAL_MS * 2);
  expectBounded('refused', await watchPhase(() => endedCalls(extractors)));

  // Accepts, and never answers.
  await stand.startModel({ mode: 'hang' });
  await stand.accept(EXTRACTIONS / 2, EXTRACTIONS);
  expectBounded('hangs', await watchPhase(stand.modelCalls));

  // A stop does not wait for a try that hangs.
  const [leaving] = extractors.splice(0, 1);
  const stoppingAt = performance.now();
  await leaving?.kill('SIGTERM');
  expect(await leaving?.exit).toEqual({ code: 0, signal: null });
  expect(performance.now() - stoppingAt).toBeLessThan(patiently(2_000));
  extractors.push(await stand.startExtractor());

  await stand.scriptModel({ mode: 'refuse-503' });
  expectBounded('503', await watchPhase(stand.modelCalls));

  // Throttled, with a time: the tries are that far apart. On a busy machine a probe may be sent after its permit has
  // ended (166 ms here, 5 s by default), and then another worker's comes beside it.
  await stand.scriptModel({ mode: 'throttle', retryAfterSeconds: RETRY_AFTER_SECONDS });
  const throttledFromMs = Date.now();
  await delay(PHASE_MS);
  const times = (await stand.modelCallTimes()).filter((time) => time > throttledFromMs);
  const waves = inWaves(times, RETRY_AFTER_SECONDS * 1_000);
  expect(waves.length).toBeGreaterThanOrEqual(2);
  expect(waves.length).toBeLessThanOrEqual(
    (Date.now() - throttledFromMs) / (RETRY_AFTER_SECONDS * 1_000) + 1,
  );
  expect(Math.max(...waves)).toBeLessThanOrEqual(extractors.length);

  expect(await stand.countDone(10, EXTRACTIONS)).toBe(0);
  const { rows: burned } = await stand.database.query(
    `select id, attempts from extractions where state = 'pending' and attempts > 0`,
  );
  expect(burned).toEqual([]);

  // Healed: all of it is done, each with one call and its first attempt.
  await stand.scriptModel({ mode: 'ok', delayMs: 20 });
  await stand.untilDone(0, EXTRACTIONS, EXTRACTIONS);
  expect(await stand.outcome(0, EXTRACTIONS)).toEqual(expectedOutcome(0, EXTRACTIONS));
  const { rows: unusual } = await stand.database.query(
    'select id, attempts, model_calls from extractions where attempts <> 1 or model_calls <> 1',
  );
  expect(unusual).toEqual([]);
  expect(await isDown()).toBe(false);
});
