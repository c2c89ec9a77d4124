import { randomBytes } from 'node:crypto';
import { createEmptyDatabase, createRedisNamespace } from '@factmill/testkit';
import { Redis } from 'ioredis';
import { Client } from 'pg';
import {
  createQueues,
  createWorker,
  type JobEntry,
  type JobHandler,
  type QueueConfig,
  type Queues,
  type QueueWorker,
} from './index.ts';
import { createLogRecorder, type LogRecorder } from './log-recorder.fixture.ts';

export const BACKENDS = ['redis', 'postgres'] as const;

export type QueueUnderTest = Readonly<{
  config: QueueConfig;
  queues: Queues;
  log: LogRecorder;
  /** Starts a worker that `close` closes. */
  work: (handler: JobHandler<'extraction'>, concurrency?: number) => Promise<QueueWorker>;
  /** Everything that the backend holds, as text. */
  dump: () => Promise<string>;
  close: () => Promise<void>;
}>;

const TENANT_ID = '01930000-0000-7000-8000-000000000001';
/** A busy machine refuses nothing here; the deadlines of requests are a matter of the tests of outages. */
const PATIENT_MS = 60_000;
const EXTRACTION_ID = '01930000-0000-7000-8000-000000000002';

/** An extract job with this id; the payload is the same for all. */
export function extractJob(jobId: string): JobEntry {
  return { name: 'extract', data: { extractionId: EXTRACTION_ID, tenantId: TENANT_ID }, jobId };
}

/** The queue on a part of the test's Redis or Postgres that nothing else uses. */
export async function openQueueUnderTest(backend: (typeof BACKENDS)[number]): Promise<QueueUnderTest> {
  const place = backend === 'redis' ? redisPlace() : await postgresPlace();
  return { ...(await openQueueAt(place.config, place.cleanup, PATIENT_MS)), dump: place.dump };
}

/** The same on a backend of the caller's own. */
export async function openQueueAt(
  config: QueueConfig,
  cleanup: () => Promise<void> = () => Promise.resolve(),
  deadlineMs?: number,
): Promise<Omit<QueueUnderTest, 'dump'>> {
  const log = createLogRecorder();
  const queues = await createQueues(config, {
    logger: log.logger,
    clock: Date.now,
    ...(deadlineMs === undefined ? {} : { deadlineMs }),
  });
  const workers: QueueWorker[] = [];
  return {
    config,
    queues,
    log,
    work: async (handler, concurrency = 1) => {
      const deps = { logger: log.logger, clock: Date.now, random: Math.random };
      const worker = await createWorker(config, { queue: 'extraction', concurrency, handler, ...deps });
      workers.push(worker);
      return worker;
    },
    close: async () => {
      await Promise.all(workers.map((worker) => worker.close({ graceMs: 100 })));
      await queues.close();
      await cleanup();
    },
  };
}

type Place = Readonly<{ config: QueueConfig; dump: () => Promise<string>; cleanup: () => Promise<void> }>;

function redisPlace(): Place {
  const { url, keyPrefix, cleanup } = createRedisNamespace();
  const dump = async (): Promise<string> => {
    const redis = new Redis(url);
    try {
      const keys = await redis.keys(`${keyPrefix}*`);
      const values = await Promise.all(
        keys.map(async (key) => {
          const type = await redis.type(key);
          if (type === 'hash') return redis.hgetall(key);
          if (type === 'stream') return redis.xrange(key, '-', '+');
          return key;
        }),
      );
      return JSON.stringify(values);
    } finally {
      redis.disconnect();
    }
  };
  return { config: { backend: 'redis', url, keyPrefix }, dump, cleanup };
}

async function postgresPlace(): Promise<Place> {
  const { connectionString, drop } = await createEmptyDatabase();
  const schema = `queue_${randomBytes(4).toString('hex')}`;
  const dump = async (): Promise<string> => {
    const client = new Client({ connectionString });
    await client.connect();
    try {
      const jobs = await client.query(`select to_jsonb(job) from ${schema}.job`);
      const events = await client.query(`select to_jsonb(event) from ${schema}.event`);
      return JSON.stringify([jobs.rows, events.rows]);
    } finally {
      await client.end();
    }
  };
  return {
    config: { backend: 'postgres', connectionString, schema, embedded: false },
    dump,
    cleanup: drop,
  };
}
