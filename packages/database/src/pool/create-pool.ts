import { Pool } from 'pg';
import { columnTypes } from './column-types.ts';
import { toDatabaseError } from './database-errors.ts';
import type { DatabaseLogger } from './database-logger.ts';
import { endStuckQueries } from './end-stuck-queries.ts';
import { createSql } from './sql-over.ts';
import type { DatabasePool } from './sql.ts';
import { withTransaction } from './with-transaction.ts';

export type PoolOptions = Readonly<{
  connectionString: string;
  /** Most connections open at once. */
  max: number;
  /** Shown in pg_stat_activity. */
  applicationName: string;
  /** The server cancels a statement after this long (0 or absent: never). */
  statementTimeoutMs?: number;
  /** How much later the client gives up a server that has not done so. Default 5 s. */
  answerGraceMs?: number;
  /** How long a query waits for a connection, new or free. Default 5 s. */
  connectionTimeoutMs?: number;
  logger: DatabaseLogger;
}>;

/** Creates a pool. Connects on first use, so it does not fail when the database is down. */
export function createPool(options: PoolOptions): DatabasePool {
  const { logger } = options;
  const statementTimeoutMs = options.statementTimeoutMs ?? 0;
  const pool = new Pool({
    connectionString: options.connectionString,
    max: options.max,
    application_name: options.applicationName,
    // Compiling a plan takes a second where its estimated cost is high, as it is for searches that take a millisecond.
    // And one statement takes one processor: with helpers, the searches of one caller take those of all others.
    options: '-c jit=off -c max_parallel_workers_per_gather=0',
    connectionTimeoutMillis: options.connectionTimeoutMs ?? 5_000,
    idleTimeoutMillis: 30_000,
    // A peer that vanished without a FIN (failover, NAT timeout) is noticed by the kernel instead of never.
    keepAlive: true,
    keepAliveInitialDelayMillis: 10_000,
    types: columnTypes,
    ...(statementTimeoutMs > 0 ? { statement_timeout: statementTimeoutMs } : {}),
  });
  const answerTimeoutMs =
    statementTimeoutMs > 0 ? statementTimeoutMs + (options.answerGraceMs ?? 5_000) : null;
  const stuck = answerTimeoutMs === null ? null : endStuckQueries(pool, answerTimeoutMs);

  // Without listeners a connection that dies while idle, or between two statements of a transaction, is an
  // unhandled 'error' event and ends the process. The next query reports it to its caller.
  pool.on('connect', (client) => {
    client.on('error', () => undefined);
  });
  pool.on('error', (error) => {
    logger.warn({ err: toDatabaseError(error).cause }, 'lost an idle database connection');
  });

  const connections = {
    connect: async () => {
      const client = await pool.connect();
      stuck?.ignore(client);
      return client;
    },
    answerTimeoutMs,
  };
  let closing: Promise<void> | undefined;
  return {
    ...createSql((config) => pool.query(config)),
    transaction: (fn, transactionOptions) => withTransaction(connections, fn, transactionOptions),
    close: () =>
      (closing ??= pool.end().finally(() => {
        stuck?.close();
      })),
    pg: pool,
  };
}
