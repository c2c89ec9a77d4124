import type { RedisAddress } from '@factmill/redis';
import type { QueueConfig } from './types.ts';

/** Which backend the queue runs on: Redis when there is an address of one, else the database. */
export function queueConfigOf(
  {
    storage: { redis, queuePrefix },
  }: Readonly<{
    storage: Readonly<{ redis: RedisAddress | null; queuePrefix: string }>;
  }>,
  { connectionString, embedded }: Readonly<{ connectionString: string; embedded: boolean }>,
): QueueConfig {
  if (redis !== null) return { ...redis, backend: 'redis', keyPrefix: queuePrefix };
  // PGlite has one session, in which BullMQ finds its functions only in the default schema.
  return { backend: 'postgres', connectionString, schema: embedded ? 'public' : 'factmill_queue', embedded };
}
