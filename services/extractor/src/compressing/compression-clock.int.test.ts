import { afterEach, expect, test } from '@jest/globals';
import { createRedisNamespace, waitFor } from '@factmill/testkit';
import { Redis } from 'ioredis';
import { answerWith, remember, startRun, untilRun } from './compression.fixture.ts';
import { type ExtractorUnderTest, openExtractorUnderTest } from '../extractor.fixture.ts';

const opened: ExtractorUnderTest[] = [];
afterEach(async () => {
  for (const under of opened.splice(0)) await under.close();
});

async function open(env: Record<string, string>, backend: 'redis' | 'postgres' = 'redis') {
  const under = await openExtractorUnderTest({ env, backend });
  opened.push(under);
  return under;
}

async function schedules(under: ExtractorUnderTest): Promise<string[]> {
  const known = await Promise.all(under.queues.bullQueues().map((queue) => queue.getJobSchedulers()));
  return known
    .flat()
    .map(({ key, pattern, tz }) => `${key} ${pattern} ${tz}`)
    .toSorted();
}

/** What a FLUSHALL leaves of this test's queue in a Redis that other tests use too: nothing. */
async function flush(under: ExtractorUnderTest): Promise<void> {
  const redis = new Redis(createRedisNamespace().url);
  const keys = await redis.keys(`${under.config.storage.queuePrefix}:*`);
  expect(keys.length).toBeGreaterThan(0);
  await redis.unlink(...keys);
  redis.disconnect();
}

test.each(['redis', 'postgres'] as const)(
  'the schedules are registered in their zone, on %s',
  async (backend) => {
    const env = {
      TIME_ZONE: 'Europe/Berlin',
      COMPRESS_DAILY_AT: '02:45',
      COMPRESS_WEEKLY_AT: 'sunday 23:05',
    };
    const under = await open(env, backend);
    await under.start();
    await waitFor(async () => (await schedules(under)).length === 2, { describe: 'both schedules' });
    expect(await schedules(under)).toEqual([
      'compression-daily 45 2 * * * Europe/Berlin',
      'compression-weekly 5 23 * * 0 Europe/Berlin',
    ]);
  },
);

test('after a flush of Redis the schedules come back, and so do the runs that were waiting', async () => {
  const under = await open({});
  const extractor = await under.start();
  await waitFor(async () => (await schedules(under)).length === 2, { describe: 'both schedules' });
  await flush(under);
  await waitFor(async () => (await schedules(under)).length === 2, { describe: 'both schedules again' });

  await extractor.close();
  answerWith(under, {});
  await remember(under, 'maya', [{ content: 'The user went out to sea.', tier: 3 }]);
  const id = await startRun(under, 'daily', 'maya', { period: '2100-01-01' });
  await flush(under);
  await under.start();
  expect(await untilRun(under, id)).toMatchObject({ state: 'done' });
});

test('what is off is not scheduled, and no longer when it was', async () => {
  const under = await open({});
  const extractor = await under.start();
  await waitFor(async () => (await schedules(under)).length === 2, { describe: 'both schedules' });
  await extractor.close();
  const { storage } = under.config;
  const off = await open({
    DATABASE_URL: storage.databaseUrl ?? '',
    QUEUE_PREFIX: storage.queuePrefix,
    COMPRESS_DAILY_AT: 'off',
  });
  await off.start();
  await waitFor(async () => (await schedules(under)).length === 1, { describe: 'one schedule' });
  expect(await schedules(under)).toEqual(['compression-weekly 0 4 * * 1 UTC']);
});
