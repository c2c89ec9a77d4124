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
   * Time limit of a statement (0 or absent: none); `within` lowers it. The server enforces it, even after this
   * process has died.
   */
  statementTimeoutMs?: number;
  /** How much longer to wait for a server that does not end a statement. Default 5 s; 0 for a server that cannot. */
  answerGraceMs?: number;
  /** How often running statements are checked. Default 1 s. */
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
    // JIT compiles plans of high estimated cost for a second, although searches with such plans take a millisecond.
    // Parallel workers would let the searches of one caller use up the processors of all others.
    options: '-c jit=off -c max_parallel_workers_per_gather=0',
    connectionTimeoutMillis: options.connectionTimeoutMs ?? 5_000,
    idleTimeoutMillis: 30_000,
    // The kernel notices a peer that vanished without a FIN (failover, NAT timeout).
    keepAlive: true,
    keepAliveInitialDelayMillis: 10_000,
    types: columnTypes,
    ...(statementTimeoutMs > 0 ? { statement_timeout: statementTimeoutMs } : {}),
  });
  const limits = limitStatements({
    graceMs: options.answerGraceMs ?? 5_000,
    checkMs: options.checkStatementsMs ?? 1_000,
  });

  // Without listeners, a connection that breaks while idle, or between two statements of a transaction, is an unhandled
  // 'error' event and ends the process. The next query reports it to its caller.
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
 * Runs one statement on any connection of the pool. As in pg's `pool.query`, a connection is closed after a failed
 * statement (it may hold a plan that fails for good after a migration), except when the statement was only cancelled.
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
