import { settlesWithin } from '@factmill/async';
import type { QueueName } from '@factmill/contracts';
import { closeRedis } from '@factmill/redis';
import { Queue, WaitingError, Worker } from 'bullmq';
import type { ConsumerBackend, ConsumerOptions, ProducerBackend } from './backend.ts';
import { perQueue } from './per-queue.ts';
import { openConsumerConnection, openProducerConnection } from './redis-connection.ts';
import { createRedisStore } from './redis-store.ts';
import type { RedisQueueConfig } from './types.ts';
import { WORKER_SETTINGS } from './worker-settings.ts';

/** A round trip takes about a millisecond. A request that waits longer is better answered without the queue. */
const DEADLINE_MS = 120;

/** How long a start waits for Redis, so that the first call already has a connection. */
const FIRST_CONNECTION_MS = 1_000;

/** Redis may be down: the connection is made, and remade, in the background. */
export async function openRedisProducer(
  config: RedisQueueConfig,
  onError: (error: unknown) => void,
): Promise<ProducerBackend> {
  const redis = openProducerConnection(config, onError);
  const queues = perQueue(openQueue);

  function openQueue(name: QueueName): Queue {
    // BullMQ's own version check rejects for good when Redis goes away during it, and prints. The start-up check of
    // this package (assertRedisReady) replaces it.
    const queue = new Queue(name, { connection: redis, prefix: config.keyPrefix, skipVersionCheck: true });
    queue.on('error', onError);
    return queue;
  }

  await settlesWithin(
    Promise.all(Object.values(queues).map((queue) => queue.waitUntilReady())),
    FIRST_CONNECTION_MS,
  );
  return {
    queues,
    store: createRedisStore(redis, config.keyPrefix),
    isReachable: () => redis.status === 'ready',
    deadlineMs: DEADLINE_MS,
    close: async () => {
      await Promise.all(Object.values(queues).map((queue) => queue.close()));
      closeRedis(redis);
    },
  };
}

export function openRedisConsumer(config: RedisQueueConfig, options: ConsumerOptions): ConsumerBackend {
  const redis = openConsumerConnection(config, options.onError);
  const worker = new Worker(options.queue, options.processor, {
    ...WORKER_SETTINGS,
    connection: redis,
    prefix: config.keyPrefix,
    concurrency: options.concurrency,
    removeOnComplete: { count: 200 },
  });

  return {
    worker,
    // Back to the end of the list from which jobs are taken next. (BullMQ's RateLimitError does that too, but treats
    // the rest of the limiter's window as a pause.)
    putBack: async (job, token) => {
      await job.moveToWait(token);
      return new WaitingError();
    },
    idleIntervalMs: 1_000,
    reconnect: () => {
      if (redis.status === 'ready') redis.disconnect(true);
    },
    disconnect: async () => {
      // When Redis is away while the worker closes, BullMQ waits with its lock timer running, which would keep the
      // process alive.
      await worker['lockManager'].close();
      await worker.getBackend().close(true);
      redis.disconnect();
    },
  };
}
