import { openRedis, type RedisAddress, type RedisClient } from '@factmill/redis';

export { closeRedis } from '@factmill/redis';

/**
 * How long a request waits for a Redis that is connected and silent. After `SILENT_MS` the connection counts as lost,
 * and nobody waits any more until it is back.
 */
const ANSWER_MS = 50;
const SILENT_MS = 1_000;

/**
 * The connection of the rate limits: it fails at once, because the limits go on in the process without it.
 *
 * @param answerMs how long a request waits for a Redis that is connected
 */
export function openLimitsRedis(address: RedisAddress, answerMs = ANSWER_MS): RedisClient {
  const redis = openRedis(address, {
    connectTimeout: 2_000,
    retryStrategy: (attempt) => Math.min(50 * 2 ** Math.min(attempt - 1, 5), 1_000),
    enableOfflineQueue: false,
    autoResendUnfulfilledCommands: false,
    maxRetriesPerRequest: 0,
    commandTimeout: answerMs,
    socketTimeout: SILENT_MS,
    enableAutoPipelining: true,
  });
  // The queue's connections say in the log that Redis is away.
  redis.on('error', () => undefined);
  return redis;
}
