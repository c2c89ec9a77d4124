import { Pool, type PoolClient, type QueryConfig, type QueryResult } from 'pg';
import { columnTypes } from './column-types.ts';
import { toDatabaseError, wasCanceled } from './database-errors.ts';
import type { DatabaseLogger } from './database-logger.ts';
import { limitStatements } from './limit-statements.ts';
import { createSql } from './sql-over.ts';
import type { Database, DatabasePool } from './sql.ts';
import { withTransaction } from './with-transaction.ts';

export type PoolOptions = Readonly<{
  connectionString: string;
  /** Most connections open at once. */
  max: number;
  /** Shown in pg_stat_activity. */
  applicationName: string;
  /**
   * How long a statement may take (0 or absent: as long as it does), `within` says less. The server ends it by itself
   * then, also when this process has died.
   */
  statementTimeoutMs?: number;
  /** How much later a server is given up that does not end a statement. Default 5 s; 0 for one that cannot. */
  answerGraceMs?: number;
  /** How often statements are looked at that run. Default 1 s. */
  checkStatementsMs?: number;
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
  const limits = limitStatements({
    graceMs: options.answerGraceMs ?? 5_000,
    checkMs: options.checkStatementsMs ?? 1_000,
  });

  // Without listeners a connection that dies while idle, or between two statements of a transaction, is an
  // unhandled 'error' event and ends the process. The next query reports it to its caller.
  pool.on('connect', (client) => {
    client.on('error', () => undefined);
  });
  pool.on('error', (error) => {
    logger.warn({ err: toDatabaseError(error).cause }, 'lost an idle database connection');
  });

  function within(limitMs: number): Database {
    const run = (client: PoolClient, config: QueryConfig) => limits.run(client, limitMs, config);
    const connections = { connect: () => pool.connect(), run };
    return {
      ...createSql((config) => runOnce(pool, run, config)),
      transaction: (fn, transactionOptions) => withTransaction(connections, fn, transactionOptions),
    };
  }

  let closing: Promise<void> | undefined;
  return {
    ...within(statementTimeoutMs > 0 ? statementTimeoutMs : Infinity),
    within,
    close: () =>
      (closing ??= pool.end().finally(() => {
        limits.close();
      })),
    pg: pool,
  };
}

/**
 * One statement on any connection of the pool. As with `pool.query` of pg, a connection on which a statement failed is
 * closed (it may hold a plan that fails for good after a migration), but not where the statement was only ended.
 */
async function runOnce(
  pool: Pool,
  run: (client: PoolClient, config: QueryConfig) => Promise<QueryResult>,
  config: QueryConfig,
): Promise<QueryResult> {
  const client = await pool.connect();
  let isBroken = false;
  try {
    return await run(client, config);
  } catch (error) {
    isBroken = !wasCanceled(error);
    throw error;
  } finally {
    client.release(isBroken);
  }
}
