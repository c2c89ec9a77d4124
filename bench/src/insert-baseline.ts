import { Queue } from 'bullmq';
import { Redis } from 'ioredis';
import { randomUUID } from 'node:crypto';
import { nextExtractionBody } from './load.ts';
import type { Stage } from './stage.ts';
import type { Service } from './start-service.ts';

/** The minimum that queue and database need for a job: a plain worker that inserts one row into bench_inserts. */
export type InsertBaseline = Readonly<{
  /** Adds jobs; resolves to the ids of the rows to come. */
  add: (count: number) => Promise<string[]>;
  startWorker: (concurrency: number) => Promise<Service>;
  close: () => Promise<void>;
}>;

export async function createInsertBaseline(stage: Stage): Promise<InsertBaseline> {
  await stage.database.query(
    `create table bench_inserts (id uuid primary key, user_id text not null, content text not null,
       inserted_at timestamptz not null default clock_timestamp())`,
  );
  const redis = new Redis(stage.redisUrl);
  const queue = new Queue('insert-baseline', { connection: redis, prefix: stage.prefix });
  return {
    async add(count) {
      const ids = Array.from({ length: count }, () => randomUUID());
      await queue.addBulk(
        ids.map((id) => {
          const { user_id: userId, messages } = nextExtractionBody();
          return { name: 'insert', data: { id, userId, content: messages[0]?.content } };
        }),
      );
      return ids;
    },
    startWorker: (concurrency) =>
      stage.startProgram('insert-worker', {
        env: {
          DATABASE_URL: stage.databaseUrl,
          REDIS_URL: stage.redisUrl,
          QUEUE_PREFIX: stage.prefix,
          CONCURRENCY: String(concurrency),
        },
        hasHttp: false,
      }),
    async close() {
      await queue.close();
      redis.disconnect();
    },
  };
}
