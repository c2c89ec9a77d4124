import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import { type RunningProcess, startProcess, waitFor } from '@factmill/testkit';
import { BACKENDS, extractJob, openQueueUnderTest, type QueueUnderTest } from './queue.fixture.ts';

const WORKER = fileURLToPath(new URL('./worker-process.fixture.ts', import.meta.url));

/** The promise of the queue: a lost worker's job is someone else's within this time. */
const TAKEOVER_MS = 15_000;

describe.each(BACKENDS)('takeover on %s', (backend) => {
  let q: QueueUnderTest;
  let child: RunningProcess;

  beforeEach(async () => {
    q = await openQueueUnderTest(backend);
    const env = { QUEUE_CONFIG: JSON.stringify(q.config) };
    child = await startProcess({ entry: WORKER, env, readyWhen: /ready/ });
    await q.queues.enqueue([extractJob('held_1')]);
    await waitFor(() => child.output().includes('took held_1'), { describe: 'the other process to take it' });
  });
  afterEach(async () => {
    await child.kill();
    await q.close();
  });

  const completed = (count: number) =>
    waitFor(async () => (await q.queues.counts()).extraction.completed === count, {
      describe: `${count} completed jobs`,
      timeoutMs: TAKEOVER_MS,
    });

  test('the job of a killed worker is finished by another within 15 s', async () => {
    const attempts: number[] = [];
    await q.work(async (_job, { attemptStarted }) => {
      attempts.push(attemptStarted);
      return { kind: 'done' };
    });
    await child.kill('SIGKILL');
    await completed(1);
    expect(attempts).toEqual([2]);
  });

  test('a suspended worker loses its job, notices when it resumes, and works again', async () => {
    await child.kill('SIGSTOP');
    const worker = await q.work(async () => ({ kind: 'done' }));
    await completed(1);
    await worker.close({ graceMs: 100 });
    await child.kill('SIGCONT');
    await waitFor(() => child.output().includes('aborted held_1'), { describe: 'its signal to be aborted' });
    await q.queues.enqueue([extractJob('next_1')]);
    await completed(2);
    expect(child.output()).toContain('took next_1');
    expect((await q.queues.counts()).extraction).toMatchObject({ failed: 0, active: 0, waiting: 0 });
  });
});
