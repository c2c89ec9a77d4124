import { fileURLToPath } from 'node:url';
import { describe, expect, test } from '@jest/globals';
import { type RunningProcess, startProcess, waitFor } from '@factmill/testkit';
import { BACKENDS, extractJob, openQueueUnderTest, type QueueUnderTest } from './queue.fixture.ts';

const WORKER = fileURLToPath(new URL('./worker-process.fixture.ts', import.meta.url));

/** The promise of the queue: a lost worker's job is someone else's within this time. */
const TAKEOVER_MS = 15_000;

type Held = Readonly<{
  q: QueueUnderTest;
  child: RunningProcess;
  completed: (count: number) => Promise<true>;
}>;

/** Runs `act` when a worker in another process has taken the job `held_1`, which it does not end by itself. */
async function whileHeld(
  backend: (typeof BACKENDS)[number],
  act: (held: Held) => Promise<void>,
): Promise<void> {
  const q = await openQueueUnderTest(backend);
  let child: RunningProcess | undefined;
  try {
    const env = { QUEUE_CONFIG: JSON.stringify(q.config) };
    const worker = (child = await startProcess({ entry: WORKER, env, readyWhen: /ready/ }));
    await q.queues.enqueue([extractJob('held_1')]);
    await waitFor(() => worker.output().includes('took held_1'), {
      describe: 'the other process to take it',
    });
    const completed = (count: number) =>
      waitFor(async () => (await q.queues.counts()).extraction.completed === count, {
        describe: `${count} completed jobs`,
        timeoutMs: TAKEOVER_MS,
      });
    await act({ q, child: worker, completed });
  } finally {
    await child?.kill();
    await q.close();
  }
}

// All at once: each waits until a lock has run out.
describe.each(BACKENDS)('takeover on %s', (backend) => {
  test.concurrent('the job of a killed worker is finished by another within 15 s', () =>
    whileHeld(backend, async ({ q, child, completed }) => {
      const attempts: number[] = [];
      await q.work(async (_job, { attemptStarted }) => {
        attempts.push(attemptStarted);
        return { kind: 'done' };
      });
      await child.kill('SIGKILL');
      await completed(1);
      expect(attempts).toEqual([2]);
    }),
  );

  test.concurrent('a suspended worker loses its job, notices when it resumes, and works again', () =>
    whileHeld(backend, async ({ q, child, completed }) => {
      await child.kill('SIGSTOP');
      const worker = await q.work(async () => ({ kind: 'done' }));
      await completed(1);
      await worker.close({ graceMs: 100 });
      await child.kill('SIGCONT');
      await waitFor(() => child.output().includes('aborted held_1'), {
        describe: 'its signal to be aborted',
      });
      await q.queues.enqueue([extractJob('next_1')]);
      await completed(2);
      expect(child.output()).toContain('took next_1');
      expect((await q.queues.counts()).extraction).toMatchObject({ failed: 0, active: 0, waiting: 0 });
    }),
  );
});
