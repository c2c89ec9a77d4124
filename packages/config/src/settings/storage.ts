import { z } from 'zod';
import { flag, pem, positiveInt, postgresUrl, redisUrl } from './values.ts';

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
  DATABASE_URL: postgresUrl.optional().meta({
    secret: true,
    description:
      'Postgres 15 or later with pgvector 0.8.6 or later. `?sslmode=verify-full&sslrootcert=/path/ca.pem` asks for TLS; docs/operations/postgres-and-redis.md has more. While API keys are required, services refuse a user that owns the tables, is a superuser or has `BYPASSRLS`.',
    unset: 'the embedded database, with `npm start` only',
  }),
  DATABASE_READ_URL: postgresUrl.optional().meta({
    secret: true,
    description:
      'A streaming replica of that Postgres: one server, no name for several. Searches read from it whenever it has everything that was written before; otherwise, and for all else, from `DATABASE_URL`.',
    unset: 'all searches read from `DATABASE_URL`',
  }),
  DATABASE_PASSWORD: z.string().min(1).optional().meta({
    secret: true,
    description:
      'Password for `DATABASE_URL` and `DATABASE_READ_URL`, where the address has none. It needs no percent-encoding.',
    unset: 'that of the address, if any',
  }),
  DATABASE_OWNER_URL: postgresUrl.optional().meta({
    secret: true,
    description:
      'The same database with the user that owns the tables, for `factmill migrate` only (and `npm start`, which migrates): it creates the user of `DATABASE_URL` and grants what that needs.',
    unset: '`migrate` uses `DATABASE_URL`',
  }),
  DATABASE_PREPARED_STATEMENTS: flag.default(true).meta({
    description:
      'Whether statements are prepared by name. `false` behind a pooler in transaction mode that does not keep them, such as PgBouncer before 1.21; searches then take longer.',
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
  REDIS_URL: redisUrl.optional().meta({
    secret: true,
    description:
      'Redis 6.2 or later for the queue, with `maxmemory-policy noeviction`. With `REDIS_MODE` the address of one or more servers: `redis://:password@a:6379,b:6379`.',
    unset: 'the queue is in Postgres',
  }),
  REDIS_MODE: z.enum(['single', 'sentinel', 'cluster']).default('single').meta({
    description:
      'How the servers of `REDIS_URL` work together. `sentinel`: it has the addresses of Sentinels, and user, password and database number of the Redis that they watch. `cluster`: of some servers of a cluster; `QUEUE_PREFIX` gets braces, so that all keys are in one slot. docs/operations/postgres-and-redis.md describes them.',
  }),
  REDIS_SENTINEL_MASTER: z
    .string()
    .min(1)
    .default('mymaster')
    .meta({ description: 'Name of the master that the Sentinels watch.' }),
  REDIS_SENTINEL_PASSWORD: z.string().min(1).optional().meta({
    secret: true,
    description: 'Password of the Sentinels themselves.',
    unset: 'they ask for none',
  }),
  REDIS_TLS_CA: pem.optional().meta({
    secret: true,
    description: 'Certificates of the authorities that may sign those of `rediss://` servers.',
    unset: 'the authorities that Node.js knows',
  }),
  REDIS_TLS_CERT: pem.optional().meta({
    secret: true,
    description: 'Certificate that is shown to `rediss://` servers. Goes with `REDIS_TLS_KEY`.',
    unset: 'none',
  }),
  REDIS_TLS_KEY: pem.optional().meta({
    secret: true,
    description: 'Key of that certificate.',
    unset: 'none',
  }),
  REDIS_PASSWORD: z.string().min(1).optional().meta({
    secret: true,
    description: 'Password for `REDIS_URL`, where the address has none. It needs no percent-encoding.',
    unset: 'that of the address, if any',
  }),
  QUEUE_PREFIX: z
    .string()
    .regex(/^[\w-]{1,64}$/, 'must be 1 to 64 letters, digits, hyphens and underscores')
    .meta({ allowed: '1 to 64 letters, digits, hyphens and underscores' })
    .default('factmill')
    .meta({ description: 'Prefix of every Redis key, so that several installations can share a server.' }),
};
