import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { randomUUID } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startEmbedded } from '@factmill/database';
import { createQueues, createWorker, extractJob, type QueueConfig, type Queues } from '@factmill/queue';
import { createThreadTime, waitFor } from '@factmill/testkit';
import { createDisposables } from './disposables.ts';

const silent = () => undefined;
const logger = { debug: silent, info: silent, warn: silent, error: silent };

const disposables = createDisposables();
let dataDir: string;
let config: QueueConfig;
let queues: Queues;

beforeAll(async () => {
  dataDir = await mkdtemp(join(tmpdir(), 'factmill-queue-'));
  const { connectionString } = disposables.add(await startEmbedded({ dataDir, logger }));
  config = { backend: 'postgres', connectionString, schema: 'public', embedded: true };
  queues = disposables.add(await createQueues(config, { logger, clock: Date.now }));
});

afterAll(async () => {
  await disposables.close();
  await rm(dataDir, { recursive: true });
});

const newJob = () => extractJob({ id: randomUUID(), tenantId: randomUUID(), generation: 0 });

test('one job costs the database less than half of what a bulk does', async () => {
  const databaseMs = createThreadTime(process.pid, 'embedded-database');
  const costOf = async (count: number) => {
    const before = databaseMs();
    await queues.enqueue(Array.from({ length: count }, newJob));
    return databaseMs() - before;
  };
  const costs: Readonly<{ one: number; two: number }>[] = [];
  for (let round = 0; round < 25; round += 1) costs.push({ one: await costOf(1), two: await costOf(2) });
  const median = (which: 'one' | 'two') =>
    costs.map((cost) => cost[which]).toSorted((a, b) => a - b)[12] ?? Number.NaN;
  expect(median('one')).toBeLessThan(median('two') / 2);
  const waiting = (await queues.bullQueues()[0]?.getWaiting(0, 1_000)) ?? [];
  await queues.remove(
    'extract',
    waiting.map(({ id }) => id ?? ''),
  );
});

test('on embedded storage a job wakes the worker, which seldom looks by itself', async () => {
  let handled = 0;
  const worker = await createWorker(config, {
    queue: 'extraction',
    concurrency: 1,
    handler: async () => {
      handled += 1;
      return { kind: 'done' };
    },
    logger,
    clock: Date.now,
    random: Math.random,
  });
  try {
    const startedAt = performance.now();
    for (let count = 1; count <= 8; count += 1) {
      await queues.enqueue([newJob()]);
      // After a job has ended the worker waits again: without a NOTIFY the next job would wait for half a minute.
      await waitFor(async () => handled === count && (await queues.counts()).extraction.active === 0, {
        describe: `${count} jobs to be over`,
        timeoutMs: 10_000,
      });
    }
    // The ledger says what was done: the queue keeps no job that is over.
    expect((await queues.counts()).extraction).toMatchObject({ completed: 0, waiting: 0, failed: 0 });
    expect(performance.now() - startedAt).toBeLessThan(10_000);
  } finally {
    await worker.close({ graceMs: 1_000 });
  }
});
