import { openRedis, type RedisAddress, type RedisClient } from '@factmill/redis';

/** 50 ms, 100 ms … at most 1 s: reconnects within a second of Redis' return, without hammering it. */
function reconnectDelayMs(attempt: number): number {
  return Math.min(50 * 2 ** Math.min(attempt - 1, 5), 1_000);
}

const COMMON = { retryStrategy: reconnectDelayMs, connectTimeout: 2_000 } as const;

/**
 * The connection that adds jobs. It fails at once instead of waiting for Redis: requests succeed without the queue,
 * and the sweeper adds the missing jobs later. So it has no offline queue, resends nothing after a reconnect, and
 * drops a connection that is open but silent after 2 s.
 */
export function openProducerConnection(
  address: RedisAddress,
  onError: (error: unknown) => void,
): RedisClient {
  const redis = openRedis(address, {
    ...COMMON,
    enableOfflineQueue: false,
    autoResendUnfulfilledCommands: false,
    maxRetriesPerRequest: 0,
    socketTimeout: 2_000,
  });
  redis.on('error', onError);
  return redis;
}

/**
 * The connection of a worker. It waits for Redis however long that takes, because its message (a job is done) stays
 * true. It has no socket timeout, because BullMQ copies its options for the blocking connection.
 */
export function openConsumerConnection(
  address: RedisAddress,
  onError: (error: unknown) => void,
): RedisClient {
  const redis = openRedis(address, { ...COMMON, maxRetriesPerRequest: null });
  redis.on('error', onError);
  return redis;
}
