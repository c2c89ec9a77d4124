import { randomBytes } from 'node:crypto';
import { Redis } from 'ioredis';
import { testRedisUrl } from './test-environment.ts';

export type RedisNamespace = Readonly<{
  url: string;
  /** Begin every key with it. Holds no colon, so that it can also be part of a BullMQ prefix. */
  keyPrefix: string;
  /** Deletes every key of the namespace. */
  cleanup(): Promise<void>;
}>;

/** A part of the test Redis that no other test writes to. */
export function createRedisNamespace(): RedisNamespace {
  const url = testRedisUrl();
  const keyPrefix = `factmill-test-${randomBytes(6).toString('hex')}`;
  return {
    url,
    keyPrefix,
    async cleanup() {
      const redis = new Redis(url, { maxRetriesPerRequest: 1 });
      try {
        let cursor = '0';
        do {
          const [next, keys] = await redis.scan(cursor, 'MATCH', `${keyPrefix}*`, 'COUNT', 1000);
          if (keys.length > 0) await redis.unlink(...keys);
          cursor = next;
        } while (cursor !== '0');
      } finally {
        redis.disconnect();
      }
    },
  };
}
