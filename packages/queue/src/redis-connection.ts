import { Redis, type RedisOptions } from 'ioredis';

/** 50 ms, 100 ms … at most 1 s: back within a second of Redis, without hammering it. */
function reconnectDelayMs(attempt: number): number {
  return Math.min(50 * 2 ** Math.min(attempt - 1, 5), 1_000);
}

const COMMON = { retryStrategy: reconnectDelayMs, connectTimeout: 2_000 } as const satisfies RedisOptions;

/**
 * The connection that jobs are added through. It fails at once instead of waiting for Redis: requests are answered
 * without the queue, and the sweeper adds later what is missing. So: no offline queue, nothing is sent again after
 * a reconnect, and a connection that is open but silent is dropped after 2 s.
 */
export function openProducerConnection(url: string, onError: (error: unknown) => void): Redis {
  const redis = new Redis(url, {
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
 * The connection of a worker, the opposite: it waits for Redis however long that takes, since what it has to say
 * (a job is done) stays true. It has no socket timeout, as BullMQ makes its blocking connection after this one.
 */
export function openConsumerConnection(url: string, onError: (error: unknown) => void): Redis {
  const redis = new Redis(url, { ...COMMON, maxRetriesPerRequest: null });
  redis.on('error', onError);
  return redis;
}

/** Ends a connection. ioredis leaves its socket timeout behind, which would keep the process alive for 2 s. */
export function closeConnection(redis: Redis): void {
  redis.disconnect();
  clearTimeout(redis['socketTimeoutTimer']);
}
