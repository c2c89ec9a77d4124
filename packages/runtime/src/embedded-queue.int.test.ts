import { expect, test } from '@jest/globals';
import { randomUUID } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startEmbedded } from '@factmill/database';
import { createQueues, createWorker, extractJob, type QueueConfig } from '@factmill/queue';
import { waitFor } from '@factmill/testkit';
import { createClosers } from './closers.ts';

// Creating a database takes 3 s of one core.
const silent = () => undefined;
const logger = { debug: silent, info: silent, warn: silent, error: silent };

test('on embedded storage a job wakes the worker, which looks by itself only every five seconds', async () => {
  const closers = createClosers();
  const dataDir = await mkdtemp(join(tmpdir(), 'factmill-queue-'));
  try {
    const { connectionString } = closers.add(await startEmbedded({ dataDir, logger }));
    const config: QueueConfig = { backend: 'postgres', connectionString, schema: 'public', embedded: true };
    const clock = Date.now;
    const queues = closers.add(await createQueues(config, { logger, clock }));
    const worker = await createWorker(config, {
      queue: 'extraction',
      concurrency: 1,
      handler: async () => ({ kind: 'done' }),
      logger,
      clock,
      random: Math.random,
    });
    closers.add({ close: () => worker.close({ graceMs: 1_000 }) });
    const startedAt = performance.now();
    for (let count = 1; count <= 8; count += 1) {
      await queues.enqueue([extractJob({ id: randomUUID(), tenantId: randomUUID(), generation: 0 })]);
      // Once a job has ended the worker waits anew: without a NOTIFY the next job would wait for five seconds.
      await waitFor(async () => (await queues.counts()).extraction.completed === count, {
        describe: `${count} jobs to be over`,
        timeoutMs: 10_000,
      });
    }
    expect(performance.now() - startedAt).toBeLessThan(10_000);
  } finally {
    await closers.close();
    await rm(dataDir, { recursive: true });
  }
});
