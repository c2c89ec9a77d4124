import { z } from 'zod';
import { positiveInt } from './values.ts';

export const storage = {
  DATA_DIR: z
    .string()
    .min(1)
    .default('./data')
    .meta({ description: 'Folder of the embedded database, which is used when `DATABASE_URL` is not set.' }),
  DATABASE_URL: z
    .url({
      protocol: /^postgres(ql)?$/,
      error: 'must be postgres://user:password@host:5432/database',
    })
    .meta({ allowed: '`postgres://user:password@host:5432/database`' })
    .optional()
    .meta({
      description: 'Postgres 15 or later with pgvector 0.8.6 or later.',
      unset: 'the embedded database, with `npm start` only',
    }),
  DATABASE_POOL_MAX: positiveInt.max(500).default(10).meta({
    description: 'Connections that a gateway opens at most. Retrieval and extractors open half as many.',
  }),
  REDIS_URL: z
    .url({ protocol: /^rediss?$/, error: 'must be redis://:password@host:6379, or rediss:// for TLS' })
    .meta({ allowed: '`redis://:password@host:6379`, or `rediss://` for TLS' })
    .optional()
    .meta({
      description: 'Redis 6.2 or later for the queue, with `maxmemory-policy noeviction`.',
      unset: 'the queue is in Postgres',
    }),
  QUEUE_PREFIX: z
    .string()
    .regex(/^[\w-]{1,64}$/, 'must be 1 to 64 letters, digits, hyphens and underscores')
    .meta({ allowed: '1 to 64 letters, digits, hyphens and underscores' })
    .default('factmill')
    .meta({ description: 'Prefix of every Redis key, so that several installations can share a server.' }),
};
