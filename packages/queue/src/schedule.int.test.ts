import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import { waitFor } from '@factmill/testkit';
import { BACKENDS, extractJob, openQueueUnderTest, type QueueUnderTest } from './queue.fixture.ts';
import type { ScheduledJob } from './index.ts';

const { data } = extractJob('unused');
const EVERY_SECOND = { pattern: '* * * * * *', timeZone: 'Europe/Berlin' };
const AT_THREE = { pattern: '0 3 * * *', timeZone: 'Europe/Berlin' };

describe.each(BACKENDS)('schedules on %s', (backend) => {
  let q: QueueUnderTest;
  beforeEach(async () => {
    q = await openQueueUnderTest(backend);
  });
  afterEach(async () => {
    await q.close();
  });

  const schedule = (at: ScheduledJob['at']) =>
    q.queues.schedule({ id: 'nightly', name: 'extract', data, at } as ScheduledJob);
  const known = async () => {
    const [extraction] = q.queues.bullQueues();
    const all = (await extraction?.getJobSchedulers()) ?? [];
    return all.map(({ key, pattern, tz }) => [key, pattern, tz]);
  };

  test('the job comes again and again, with its payload', async () => {
    const seen: unknown[] = [];
    await q.work(async (job) => {
      seen.push(job);
      return { kind: 'done' };
    });
    await schedule(EVERY_SECOND);
    await waitFor(() => seen.length >= 2, { describe: 'two runs of the schedule' });
    expect(seen[0]).toEqual({ name: 'extract', data });
  });

  test('one id is one schedule: set twice, changed and removed', async () => {
    await Promise.all([schedule(AT_THREE), schedule(AT_THREE)]);
    await schedule(AT_THREE);
    expect(await known()).toEqual([['nightly', '0 3 * * *', 'Europe/Berlin']]);
    expect((await q.queues.counts()).extraction).toMatchObject({ delayed: 1, waiting: 0 });
    await schedule({ ...AT_THREE, timeZone: 'UTC' });
    expect(await known()).toEqual([['nightly', '0 3 * * *', 'UTC']]);
    expect((await q.queues.counts()).extraction).toMatchObject({ delayed: 1, waiting: 0 });
    await schedule(null);
    await schedule(null);
    expect(await known()).toEqual([]);
    expect((await q.queues.counts()).extraction.delayed).toBe(0);
  });
});
