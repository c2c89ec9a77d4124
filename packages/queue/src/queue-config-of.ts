import type { QueueConfig } from './types.ts';

/** Which backend the queue runs on: Redis when there is a URL of one, else the database. */
export function queueConfigOf(
  {
    storage: { redisUrl, queuePrefix },
  }: Readonly<{
    storage: Readonly<{ redisUrl: string | null; queuePrefix: string }>;
  }>,
  { connectionString, embedded }: Readonly<{ connectionString: string; embedded: boolean }>,
): QueueConfig {
  if (redisUrl !== null) return { backend: 'redis', url: redisUrl, keyPrefix: queuePrefix };
  // PGlite has one session, in which BullMQ finds its functions only in the default schema.
  return { backend: 'postgres', connectionString, schema: embedded ? 'public' : 'factmill_queue', embedded };
}
