import { z } from 'zod';
import { positiveInt } from './values.ts';

/** Postgres checks statements once a second, so a much smaller limit has no effect. */
const statementTimeout = positiveInt.min(100).max(3_600_000);

export const storage = {
  DATA_DIR: z
    .string()
    .min(1)
    .default('./data')
    .meta({ description: 'Folder of the embedded database, which is used when `DATABASE_URL` is not set.' }),
  IMPORT_OPENCLAW_DIR: z.string().min(1).optional().meta({
    description:
      'Folder of an OpenClaw workspace that `npm start` imports for `DEFAULT_USER_ID` while nothing is stored yet.',
    unset: 'nothing is imported',
  }),
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
  STATEMENT_TIMEOUT_SEARCH_MS: statementTimeout.default(10_000).meta({
    description:
      'Longest time of one statement of a search; then it is ended. A gateway waits 15 s for a search.',
  }),
  STATEMENT_TIMEOUT_LIST_MS: statementTimeout.default(15_000).meta({
    description: 'The same for lists, statistics and reads by id.',
  }),
  STATEMENT_TIMEOUT_ACCEPT_MS: statementTimeout.default(30_000).meta({
    description: 'The same for a request that stores messages, a memory, a summary or a key.',
  }),
  STATEMENT_TIMEOUT_BATCH_MS: statementTimeout.default(45_000).meta({
    description: 'The same for batches, documents, replays, and deletions of more than one memory.',
  }),
  STATEMENT_TIMEOUT_MAINTENANCE_MS: statementTimeout.default(60_000).meta({
    description: 'The same for work in the background and operator commands.',
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
