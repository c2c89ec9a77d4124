import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import { waitFor } from '@factmill/testkit';
import { BACKENDS, extractJob, openQueueUnderTest, type QueueUnderTest } from './queue.fixture.ts';
import { createQueues, heartbeatJobId, type JobOutcome } from './index.ts';

const DONE: JobOutcome = { kind: 'done' };

describe.each(BACKENDS)('queue on %s', (backend) => {
  let q: QueueUnderTest;

  beforeEach(async () => {
    q = await openQueueUnderTest(backend);
  });
  afterEach(async () => {
    await q.close();
  });

  const settled = async (count: number) =>
    waitFor(
      async () => {
        const { extraction } = await q.queues.counts();
        return extraction.completed + extraction.failed === count && extraction;
      },
      { describe: `${count} jobs to be over` },
    );

  test('a job reaches the handler with its payload and is kept with its counts only', async () => {
    const seen: unknown[] = [];
    await q.work(async (job, context) => {
      seen.push({ ...job, jobId: context.jobId, attemptStarted: context.attemptStarted });
      return { kind: 'done', counts: { memories: 3, broken: Number.NaN } };
    });
    const entry = extractJob('a_1');
    await q.queues.enqueue([entry]);
    expect(await settled(1)).toEqual({ waiting: 0, active: 0, delayed: 0, failed: 0, completed: 1 });
    expect(seen).toEqual([{ ...entry, attemptStarted: 1 }]);
    expect(await q.dump()).toMatch(/memories.{1,5}3/);
    expect(await q.dump()).not.toContain('broken');
  });

  test('a job that does not fit its schema, or is not known, fails with a reason', async () => {
    await q.work(async () => DONE);
    const [extraction] = q.queues.bullQueues();
    await extraction?.add('extract', { extractionId: 'no uuid' }, { jobId: 'bad_1' });
    await extraction?.add('conquer', {}, { jobId: 'bad_2' });
    expect((await settled(2)).failed).toBe(2);
    const jobs = (await extraction?.getFailed()) ?? [];
    expect(jobs.map((job) => [job.id, job.failedReason, job.stacktrace]).sort()).toEqual([
      ['bad_1', 'invalid_payload', []],
      ['bad_2', 'unknown_job', []],
    ]);
  });

  test('a delayed job comes back later and uses up no attempt', async () => {
    const takenAt: number[] = [];
    await q.work(async () => {
      takenAt.push(Date.now());
      return takenAt.length < 3 ? { kind: 'delay', ms: 200 } : DONE;
    });
    await q.queues.enqueue([extractJob('later_1')]);
    await settled(1);
    const [first = 0, second = 0, third = 0] = takenAt;
    expect(second - first).toBeGreaterThanOrEqual(195);
    expect(third - second).toBeGreaterThanOrEqual(195);
    const [job] = (await q.queues.bullQueues()[0]?.getCompleted()) ?? [];
    expect(job).toMatchObject({ attemptsMade: 1, attemptsStarted: 3 });
  });

  test('a pause stops all workers of the queue, then the paused job is taken first', async () => {
    const taken: { jobId: string; at: number }[] = [];
    let pausedAt = 0;
    const handler = async (_job: unknown, { jobId }: { jobId: string }): Promise<JobOutcome> => {
      taken.push({ jobId, at: Date.now() });
      if (pausedAt > 0) return DONE;
      pausedAt = Date.now();
      return { kind: 'pause', ms: 1_500 };
    };
    await q.work(handler);
    await q.queues.enqueue([extractJob('p_1')]);
    await waitFor(async () => (await q.queues.pausedMs('extraction')) > 0, { describe: 'the pause' });
    await q.work(handler, 3);
    await q.queues.enqueue(['p_2', 'p_3', 'p_4', 'p_5', 'p_6', 'p_7', 'p_8', 'p_9'].map(extractJob));
    expect(await q.queues.pausedMs('extraction')).toBeGreaterThan(500);
    await settled(9);
    // Four slots go on at the same moment, so "first" is one of the first four.
    expect(taken[0]?.jobId).toBe('p_1');
    expect(taken.map(({ jobId }) => jobId).slice(1, 5)).toContain('p_1');
    const resumedAt = Math.min(...taken.slice(1).map(({ at }) => at));
    expect(resumedAt - pausedAt).toBeGreaterThanOrEqual(1_450);
    expect(resumedAt - pausedAt).toBeLessThan(3_500);
  });

  test('free slots fill up after a pause though a long job is running', async () => {
    const running = Promise.withResolvers<void>();
    const taken: string[] = [];
    const worker = await q.work(async (_job, { jobId, signal }) => {
      taken.push(jobId);
      if (jobId !== 'long_1') return DONE;
      signal.addEventListener('abort', () => running.resolve());
      await running.promise;
      return DONE;
    }, 2);
    await q.queues.enqueue([extractJob('long_1')]);
    await waitFor(() => taken.length === 1, { describe: 'the long job' });
    await q.queues.pause('extraction', 1_200);
    await q.queues.pause('extraction', 10);
    await q.queues.enqueue([extractJob('short_1')]);
    await waitFor(() => worker.progress().pausedUntil > Date.now(), { describe: 'the worker to know' });
    expect(taken).toEqual(['long_1']);
    await waitFor(() => taken.length === 2, { describe: 'the short job', timeoutMs: 4_000 });
    running.resolve();
    await settled(2);
  });

  test('a pause can be ended early', async () => {
    await q.queues.pause('extraction', 60_000);
    await q.work(async () => DONE);
    await q.queues.enqueue([extractJob('early_1')]);
    expect((await q.queues.counts()).extraction.waiting).toBe(1);
    await q.queues.resume('extraction');
    await settled(1);
  });

  test('a failure keeps a code, never text', async () => {
    await q.work(async (_job, { jobId }) => ({
      kind: 'fail',
      reason: jobId === 'f_1' ? 'model_refusal' : 'Steve likes tea',
    }));
    await q.queues.enqueue(['f_1', 'f_2'].map(extractJob));
    expect((await settled(2)).failed).toBe(2);
    const jobs = (await q.queues.bullQueues()[0]?.getFailed()) ?? [];
    expect(jobs.map((job) => job.failedReason).sort()).toEqual(['failed', 'model_refusal']);
    expect(await q.dump()).not.toMatch(/Steve|job-runner|at async/);
  });

  test('a handler that throws loses nothing: the job comes back, logged once by its code', async () => {
    let runs = 0;
    await q.work(async () => {
      runs += 1;
      if (runs === 1) throw new TypeError('Steve likes tea');
      return DONE;
    });
    await q.queues.enqueue([extractJob('bug_1')]);
    expect(await settled(1)).toMatchObject({ completed: 1, failed: 0 });
    const errors = q.log.lines.filter((line) => line.level === 'error');
    expect(errors).toHaveLength(1);
    expect(errors[0]?.fields).toMatchObject({ jobId: 'bug_1', code: 'TypeError' });
    expect(JSON.stringify(q.log.lines) + (await q.dump())).not.toContain('Steve');
  });

  test('close takes nothing new, waits for what runs, and leaves the rest', async () => {
    const gate = Promise.withResolvers<void>();
    const taken: string[] = [];
    const worker = await q.work(async (_job, { jobId }) => {
      taken.push(jobId);
      await gate.promise;
      return DONE;
    });
    await q.queues.enqueue(['c_1', 'c_2'].map(extractJob));
    await waitFor(() => taken.length === 1, { describe: 'the first job' });
    const closed = worker.close({ graceMs: 5_000 });
    gate.resolve();
    await closed;
    expect(taken).toEqual(['c_1']);
    expect((await q.queues.counts()).extraction).toMatchObject({ completed: 1, waiting: 1, active: 0 });
  });

  test('close hands a hanging job back in under 2 s, and another worker takes it at once', async () => {
    const aborted = Promise.withResolvers<void>();
    const taken = Promise.withResolvers<void>();
    const worker = await q.work(async (_job, { signal }) => {
      signal.addEventListener('abort', () => aborted.resolve());
      taken.resolve();
      return new Promise<never>(() => undefined);
    });
    await q.queues.enqueue(['h_1', 'h_2'].map(extractJob));
    await taken.promise;
    const startedAt = Date.now();
    await worker.close({ graceMs: 300 });
    expect(Date.now() - startedAt).toBeLessThan(2_000);
    await aborted.promise;
    const order: string[] = [];
    await q.work(async (_job, { jobId }) => {
      order.push(jobId);
      return DONE;
    });
    await settled(2);
    expect(order).toEqual(['h_1', 'h_2']);
    expect(Date.now() - startedAt).toBeLessThan(3_500);
  });

  test('5,000 jobs in one call, each once however often it is added', async () => {
    const entries = Array.from({ length: 5_000 }, (_, index) => extractJob(`b_${index}`));
    await Promise.all([q.queues.enqueue(entries), q.queues.enqueue(entries.slice(0, 100))]);
    expect((await q.queues.counts()).extraction.waiting).toBe(5_000);
    expect(await q.queues.missing('extract', ['b_0', 'b_4999', 'never_1'])).toEqual(['never_1']);
  });

  test('an id is free again once missing has been asked', async () => {
    let runs = 0;
    const worker = await q.work(async () => {
      runs += 1;
      return runs === 1 ? { kind: 'fail', reason: 'model_input' } : DONE;
    });
    await q.queues.enqueue([extractJob('again_1')]);
    await settled(1);
    await q.queues.enqueue([extractJob('again_1')]);
    expect((await q.queues.counts()).extraction).toMatchObject({ waiting: 0, failed: 1 });
    expect(await q.queues.missing('extract', ['again_1'])).toEqual(['again_1']);
    await q.queues.enqueue([extractJob('again_1')]);
    expect(await settled(1)).toMatchObject({ completed: 1, failed: 0 });
    await worker.close({ graceMs: 100 });
  });

  test('remove takes waiting and delayed jobs, never one that a worker holds or that is over', async () => {
    const gate = Promise.withResolvers<void>();
    const taken: string[] = [];
    await q.work(async (_job, { jobId }) => {
      taken.push(jobId);
      if (jobId === 'r_over') return DONE;
      if (jobId === 'r_delayed') return { kind: 'delay', ms: 60_000 };
      await gate.promise;
      return DONE;
    });
    const ids = ['r_over', 'r_delayed', 'r_active', 'r_waiting'];
    await q.queues.enqueue(ids.map(extractJob));
    await waitFor(() => taken.length === 3, { describe: 'the active job' });
    const removed = await q.queues.remove('extract', [...ids, 'r_never']);
    expect([...removed].sort()).toEqual(['r_delayed', 'r_waiting']);
    expect(await q.queues.missing('extract', ['r_active', 'r_waiting'])).toEqual(['r_waiting']);
    gate.resolve();
    expect(await settled(2)).toMatchObject({ completed: 2, waiting: 0, delayed: 0 });
  });

  test('the age of the oldest waiting job', async () => {
    expect(await q.queues.oldestWaitingAgeMs('extraction')).toBe(0);
    await q.queues.enqueue([extractJob('old_1')]);
    await waitFor(async () => (await q.queues.oldestWaitingAgeMs('extraction')) >= 50, {
      describe: 'its age',
    });
  });

  test('all processes together add one heartbeat per interval', async () => {
    const deps = { logger: q.log.logger, clock: Date.now };
    const others = await Promise.all([createQueues(q.config, deps), createQueues(q.config, deps)]);
    const beat = { name: 'heartbeat', data: {}, jobId: heartbeatJobId(Date.now(), 3_600_000) } as const;
    await waitFor(() => others[1]?.ping().then(() => true), { describe: 'the connections' });
    await Promise.all([q.queues, ...others].map((queues) => queues.enqueue([beat])));
    expect((await q.queues.counts()).maintenance.waiting).toBe(1);
    await Promise.all(others.map((queues) => queues.close()));
  });
});
