import { setTimeout as delay } from 'node:timers/promises';
import { waitFor } from '@factmill/testkit';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { Redis } from 'ioredis';
import { createRandom, faultSeeds } from '../support/random.ts';
import type { ServiceProcess } from '../support/service-process.ts';
import { CONCURRENCY, expectedOutcome, type FaultStand, openFaultStand } from './fault-stand.ts';

let stand: FaultStand;
beforeAll(async () => {
  stand = await openFaultStand();
});
afterAll(() => stand.close());

/** Scenarios share the database: each has numbers of its own. */
let nextNumber = 0;
function numbers(count: number): { from: number; to: number } {
  const from = nextNumber;
  nextNumber += count;
  return { from, to: nextNumber };
}

async function stopGracefully(extractors: readonly ServiceProcess[]): Promise<void> {
  await Promise.all(extractors.map((extractor) => extractor.kill('SIGTERM')));
  expect(await Promise.all(extractors.map((extractor) => extractor.exit))).toEqual(
    extractors.map(() => ({ code: 0, signal: null })),
  );
}

const perExtraction = (calls: number, count: number) => calls / count;

const DONE_BETWEEN_KILLS = 20;

describe.each(faultSeeds())('seed %i', (seed) => {
  test('a random extractor is killed every 2 s while 500 extractions run', async () => {
    const random = createRandom(seed);
    const { from, to } = numbers(500);
    await stand.resetModelCalls();
    const extractors = await Promise.all([1, 2, 3].map(() => stand.startExtractor()));
    await stand.accept(from, to);
    let kills = 0;
    const restarts: Promise<void>[] = [];
    const enough = to - from - CONCURRENCY * 3;
    for (let done = 0; done < enough; done = await stand.countDone(from, to)) {
      await delay(2_000);
      // However long a restart takes, the next kill waits until something has got done.
      await stand.untilDone(from, to, Math.min(enough, done + DONE_BETWEEN_KILLS));
      const victim = Math.floor(random() * extractors.length);
      const extractor = extractors[victim];
      if (extractor === undefined || !extractor.isRunning()) continue;
      await extractor.kill('SIGKILL');
      kills += 1;
      restarts.push(
        stand.startExtractor().then((restarted) => {
          extractors[victim] = restarted;
        }),
      );
    }
    await Promise.all(restarts);
    await stand.untilDone(from, to, to - from);
    expect(await stand.outcome(from, to)).toEqual(expectedOutcome(from, to));
    expect(kills).toBeGreaterThanOrEqual(3);
    // A kill can tear away at most the calls that its victim had under way; every other call is to be paid once.
    const calls = await stand.modelCalls();
    expect(calls - kills * CONCURRENCY).toBeLessThanOrEqual((to - from) * 1.05);
    await stopGracefully(extractors);
  });

  test('Redis loses everything midway, is gone for a while, and extractions are accepted all the same', async () => {
    const random = createRandom(seed + 1_000);
    const { from, to } = numbers(200);
    const early = to - 50;
    await stand.resetModelCalls();
    const extractors = await Promise.all([1, 2, 3].map(() => stand.startExtractor()));
    await stand.accept(from, early);
    await stand.untilDone(from, to, 20 + Math.floor(random() * 80));
    const redis = new Redis(stand.redis.url);
    await redis.flushall();
    redis.disconnect();
    await stand.redis.kill();
    await stand.accept(early, to);
    await stand.redis.start();
    await stand.untilDone(from, to, to - from);
    expect(await stand.outcome(from, to)).toEqual(expectedOutcome(from, to));
    expect(perExtraction(await stand.modelCalls(), to - from)).toBeLessThanOrEqual(1.05);
    await stopGracefully(extractors);
  });

  test('Postgres crashes midway while clients go on sending', async () => {
    const random = createRandom(seed + 2_000);
    const { from, to } = numbers(200);
    const early = to - 50;
    await stand.resetModelCalls();
    const extractors = await Promise.all([1, 2, 3].map(() => stand.startExtractor()));
    await stand.accept(from, early);
    await stand.untilDone(from, to, 20 + Math.floor(random() * 80));
    const accepting = stand.accept(early, to);
    await stand.postgres.stop('immediate');
    await stand.postgres.start();
    await accepting;
    await stand.untilDone(from, to, to - from);
    expect(await stand.outcome(from, to)).toEqual(expectedOutcome(from, to));
    expect(perExtraction(await stand.modelCalls(), to - from)).toBeLessThanOrEqual(1.05);
    await stopGracefully(extractors);
  });

  test('an extractor stopped past its lease is overtaken within 15 s and writes nothing when it wakes', async () => {
    const random = createRandom(seed + 3_000);
    const { from, to } = numbers(100);
    await stand.resetModelCalls();
    const sleeper = await stand.startExtractor();
    await stand.accept(from, to);
    await stand.untilDone(from, to, 5 + Math.floor(random() * 20));
    // Stopped while its calls are under way: the model is slow, and all slots have been waiting for it for a while.
    await stand.slowModel(5_000);
    const readHeld = async (): Promise<{ id: string }[]> => {
      const { rows } = await stand.database.query<{ id: string }>(
        `select id from extractions where state = 'active' and claimed_at < now() - interval '500 milliseconds'`,
      );
      return rows;
    };
    await waitFor(async () => (await readHeld()).length === CONCURRENCY, {
      describe: 'calls to be under way',
    });
    await sleeper.kill('SIGSTOP');
    const stoppedAt = performance.now();
    const held = await readHeld();
    expect(held).toHaveLength(CONCURRENCY);
    await stand.slowModel('as usual');
    const other = await stand.startExtractor();
    const isTakenOver = async (): Promise<boolean> => {
      const { rows } = await stand.database.query<{ state: string; fence: number }>(
        'select state, fence from extractions where id = any($1::uuid[])',
        [held.map((row) => row.id)],
      );
      return rows.every((row) => row.state === 'done' && row.fence > 1);
    };
    await waitFor(isTakenOver, { timeoutMs: 15_000, describe: 'the other extractor to take over' });
    await stand.untilDone(from, to, to - from);
    await delay(Math.max(0, 12_000 - (performance.now() - stoppedAt)));
    const readLedger = () =>
      stand.database.query('select * from extractions where id = any($1::uuid[]) order by id', [
        held.map((row) => row.id),
      ]);
    const before = await readLedger();

    await sleeper.kill('SIGCONT');
    await waitFor(() => sleeper.output().split('"fenced":1').length - 1 >= held.length, {
      describe: 'the late extractor to find itself overtaken',
    });
    expect(await readLedger()).toEqual(before);
    expect(await stand.outcome(from, to)).toEqual(expectedOutcome(from, to));
    // The calls that the stop tore away are paid twice, and no other.
    expect(await stand.modelCalls()).toBeLessThanOrEqual(to - from + held.length);
    await stopGracefully([sleeper, other]);
  });
});
