import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import {
  type OwnPostgres,
  type OwnRedis,
  type RunningProcess,
  startPostgres,
  startProcess,
  startRedis,
  waitFor,
  patiently,
} from '@factmill/testkit';
import { Redis } from 'ioredis';
import { extractJob, openQueueAt } from './queue.fixture.ts';
import type { JobOutcome, PostgresQueueConfig, QueueConfig, RedisQueueConfig } from './index.ts';

// Workers run in a process of their own, so that an unhandled rejection would end it and be seen.
const WORKER = fileURLToPath(new URL('./worker-process.fixture.ts', import.meta.url));

type Opened = Awaited<ReturnType<typeof openQueueAt>>;

let folder: string;
let child: RunningProcess | undefined;
let q: Opened | undefined;

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'factmill-queue-'));
});
afterEach(async () => {
  await child?.kill();
  await q?.close();
  child = undefined;
  q = undefined;
  await rm(folder, { recursive: true });
});

async function startWorker(config: QueueConfig): Promise<RunningProcess> {
  child = await startProcess({
    entry: WORKER,
    env: { QUEUE_CONFIG: JSON.stringify(config) },
    readyWhen: /ready/,
  });
  return child;
}

const takes = (worker: RunningProcess, jobId: string, timeoutMs = 10_000) =>
  waitFor(() => worker.output().includes(`took ${jobId}`), { describe: `${jobId} to be taken`, timeoutMs });

/** How long a call takes to reject, and with which code. */
async function rejection(call: Promise<unknown>): Promise<{ code: unknown; ms: number }> {
  const startedAt = performance.now();
  const code = await call.then(
    () => 'resolved',
    (error: { code?: unknown }) => error.code,
  );
  return { code, ms: performance.now() - startedAt };
}

const enqueueSoon = (opened: Opened, jobId: string) =>
  waitFor(() => opened.queues.enqueue([extractJob(jobId)]).then(() => true), {
    describe: 'the queue to be back',
  });

describe('with Redis', () => {
  let redis: OwnRedis;
  let config: RedisQueueConfig;

  beforeEach(async () => {
    redis = await startRedis({ dir: folder });
    config = { backend: 'redis', url: redis.url, keyPrefix: 'outage' };
  });
  afterEach(async () => {
    await redis.kill();
  });

  test('while the backend is down adding rejects at once; when it is back everything works again', async () => {
    q = await openQueueAt(config);
    const worker = await startWorker(config);
    await enqueueSoon(q, 'before_1');
    await enqueueSoon(q, 'held_1');
    await takes(worker, 'held_1');

    await redis.kill();
    const opened = q;
    const calls = Array.from({ length: 20 }, (_, n) =>
      rejection(opened.queues.enqueue([extractJob(`lost_${n}`)])),
    );
    for (const { code, ms } of await Promise.all(calls)) {
      expect(code).toBe('queue_unavailable');
      expect(ms).toBeLessThan(patiently(250));
    }
    expect((await rejection(q.queues.ping())).code).toBe('queue_unavailable');
    const warnings = () => opened.log.lines.filter((line) => line.level === 'warn');
    await waitFor(() => warnings().length > 0, { describe: 'the outage to be logged' });

    await redis.start();
    await enqueueSoon(q, 'after_1');
    await takes(worker, 'after_1');
    expect(worker.isRunning()).toBe(true);
    expect(warnings()).toEqual([
      expect.objectContaining({ fields: { part: 'queues', code: 'ECONNREFUSED' } }),
    ]);
    expect(JSON.stringify(q.log.lines)).not.toContain(String(redis.port));
  });

  test('a server that is silent makes adding reject as well', async () => {
    q = await openQueueAt(config);
    const client = new Redis(redis.url);
    await client.call('CLIENT', 'PAUSE', '1500', 'ALL');
    const { code, ms } = await rejection(q.queues.enqueue([extractJob('silent_1')]));
    expect(code).toBe('queue_unavailable');
    expect(ms).toBeLessThan(patiently(250));
    client.disconnect();
    await enqueueSoon(q, 'silent_2');
  });

  test('it need not be there at the start', async () => {
    await redis.kill();
    q = await openQueueAt(config);
    const worker = await startWorker(config);
    expect((await rejection(q.queues.enqueue([extractJob('early_1')]))).code).toBe('queue_unavailable');
    await redis.start();
    await enqueueSoon(q, 'late_1');
    await takes(worker, 'late_1');
  });

  test('after FLUSHALL new and delayed jobs are taken, without a restart', async () => {
    const opened = await openQueueAt(config);
    q = opened;
    const worker = await startWorker(config);
    await enqueueSoon(opened, 'held_1');
    await takes(worker, 'held_1');
    const client = new Redis(redis.url);
    await client.flushall();
    client.disconnect();

    expect(await opened.queues.missing('extract', ['held_1'])).toEqual(['held_1']);
    await enqueueSoon(opened, 'new_1');
    await takes(worker, 'new_1', 2_000);
    await waitFor(() => worker.output().includes('aborted held_1'), { describe: 'the lost lock to be seen' });

    await worker.kill('SIGTERM');
    const outcomes: JobOutcome[] = [{ kind: 'delay', ms: 300 }, { kind: 'pause', ms: 300 }, { kind: 'done' }];
    await opened.work(async () => outcomes.shift() ?? { kind: 'done' });
    await enqueueSoon(opened, 'new_2');
    await waitFor(async () => (await opened.queues.counts()).extraction.completed === 2, {
      describe: 'the delayed and paused job to be done',
    });
  });

  test('a worker closes, and its process ends by itself, in under 2 s while Redis is away', async () => {
    q = await openQueueAt(config);
    const worker = await startWorker(config);
    await enqueueSoon(q, 'held_1');
    await takes(worker, 'held_1');
    await redis.kill();
    const startedAt = performance.now();
    await worker.kill('SIGTERM');
    expect(performance.now() - startedAt).toBeLessThan(patiently(2_000));
    expect(await worker.exit).toEqual({ code: 0, signal: null });
  });
});

describe('with Postgres', () => {
  let postgres: OwnPostgres;
  let pgFolder: string;
  let config: PostgresQueueConfig;

  beforeAll(async () => {
    pgFolder = await mkdtemp(join(tmpdir(), 'factmill-queue-pg-'));
    postgres = await startPostgres({ dir: pgFolder });
    const { connectionString } = postgres;
    config = { backend: 'postgres', connectionString, schema: 'factmill_queue', embedded: false };
  });
  afterAll(async () => {
    await postgres.kill();
    await rm(pgFolder, { recursive: true });
  });

  test('a crash of the server is survived by producers and workers', async () => {
    q = await openQueueAt(config);
    const worker = await startWorker(config);
    await enqueueSoon(q, 'before_1');
    await enqueueSoon(q, 'held_1');
    await takes(worker, 'held_1');

    await postgres.stop('immediate');
    expect((await rejection(q.queues.enqueue([extractJob('lost_1')]))).code).toBe('queue_unavailable');
    await postgres.start();
    await enqueueSoon(q, 'after_1');
    await takes(worker, 'after_1');
    expect(worker.isRunning()).toBe(true);
    expect(JSON.stringify(q.log.lines)).not.toContain('postgres');
  });

  test('starting without it is refused, in a sentence without the address', async () => {
    const away = { ...config, connectionString: 'postgres://someone:secret@127.0.0.1:1/x' };
    await expect(openQueueAt(away)).rejects.toMatchObject({
      code: 'queue_unavailable',
      message: 'The queue on Postgres cannot be opened.',
    });
  });
});
