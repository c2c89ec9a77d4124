// The baseline of `jobs` and `latency`: a BullMQ worker that only inserts one row per job.
import { Worker } from 'bullmq';
import { Redis } from 'ioredis';
import { Pool } from 'pg';

const concurrency = Number(process.env['CONCURRENCY']);
const database = new Pool({ connectionString: String(process.env['DATABASE_URL']), max: concurrency });
const worker = new Worker<{ id: string; userId: string; content: string }>(
  'insert-baseline',
  async ({ data }) => {
    await database.query({
      name: 'insert_baseline',
      text: 'insert into bench_inserts (id, user_id, content) values ($1::uuid, $2::text, $3::text)',
      values: [data.id, data.userId, data.content],
    });
  },
  {
    connection: new Redis(String(process.env['REDIS_URL']), { maxRetriesPerRequest: null }),
    prefix: String(process.env['QUEUE_PREFIX']),
    concurrency,
    removeOnComplete: { count: 200 },
  },
);
process.once('SIGTERM', () => void worker.close().finally(() => process.exit(0)));
