import { AppError } from '@factmill/errors';
import { embedJob, type JobEntry } from '@factmill/queue';
import { expect, test } from '@jest/globals';
import { enqueueSoon } from './enqueue-soon.ts';

const JOB = embedJob({ tenantId: 'a tenant', memoryIds: ['a memory'] }, 'one');

/** Enqueues a job where the queue answers so; resolves to what it got, and to the lines of the log. */
async function enqueued(answer: () => Promise<void>) {
  const jobs: JobEntry[] = [];
  const lines: unknown[] = [];
  const enqueue = (entries: readonly JobEntry[]) => {
    jobs.push(...entries);
    return answer();
  };
  await enqueueSoon({ queues: { enqueue }, logger: { warn: (...line: unknown[]) => lines.push(line) } }, JOB);
  return { jobs, lines };
}

test('a job is in the queue once the call resolves', async () => {
  expect(await enqueued(async () => undefined)).toEqual({ jobs: [JOB], lines: [] });
});

test.each([
  [new AppError('queue_unavailable', 'Redis is away.'), 'queue_unavailable'],
  [new Error('of user maya'), 'internal'],
])(
  'when the queue fails (%s), one line says which job and why, and no request fails',
  async (error, code) => {
    const fails = async () => {
      throw error;
    };
    expect((await enqueued(fails)).lines).toEqual([
      [{ job: 'embed', code }, 'not queued yet; the sweeper will do it'],
    ]);
  },
);
