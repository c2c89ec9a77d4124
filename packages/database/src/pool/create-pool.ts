import { Pool, type PoolClient, type QueryConfig, type QueryResult } from 'pg';
import { columnTypes } from './column-types.ts';
import { toDatabaseError, wasCanceled } from './database-errors.ts';
import type { DatabaseLogger } from './database-logger.ts';
import { limitStatements } from './limit-statements.ts';
import { prepareScopes, type RowSecurity } from './query-in-scope.ts';
import { createSql } from './sql-over.ts';
import type { Database, DatabasePool, Identity } from './sql.ts';
import { type Scope, SYSTEM_SCOPE, tenantScope } from './tenant-scope.ts';
import { assertTlsFiles } from './tls-files.ts';
import { type Connections, withTransaction } from './with-transaction.ts';

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
  /** When statements run as a role that the policies of the tables apply to. Default: never. */
  rowSecurity?: RowSecurity;
  /**
   * Whether statements may be prepared by name. Default true; false behind a pooler that shares connections by
   * transaction and does not keep prepared statements.
   */
  preparedStatements?: boolean;
  /** How long a query waits for a connection, new or free. Default 5 s. */
  connectionTimeoutMs?: number;
  logger: DatabaseLogger;
}>;

/**
 * Creates a pool. Connects on first use, so it does not fail when the database is down.
 *
 * @throws AppError `config_invalid` when a certificate that the address names cannot be read
 */
export function createPool(options: PoolOptions): DatabasePool {
  const { logger } = options;
  const statementTimeoutMs = options.statementTimeoutMs ?? 0;
  assertTlsFiles(options.connectionString);
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
  const isPrepared = options.preparedStatements ?? true;
  const limits = limitStatements({
    isPrepared,
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

  const { rowSecurity, connectionTimeoutMs = 5_000 } = options;
  /** Connections that were prepared, and whether their statements have scopes. */
  const hasScopes = new WeakMap<PoolClient, boolean>();
  async function connect(): Promise<PoolClient> {
    const client = await pool.connect();
    if (rowSecurity === undefined || hasScopes.has(client)) return client;
    try {
      const query = (config: QueryConfig) => limits.run(client, connectionTimeoutMs, config);
      hasScopes.set(client, await prepareScopes(query, rowSecurity, isPrepared));
    } catch (error) {
      client.release(true);
      throw error;
    }
    return client;
  }

  function within(limitMs: number, current: () => Scope | undefined): Database {
    const run = (client: PoolClient, { name, ...config }: QueryConfig, as?: Scope) =>
      limits.run(client, limitMs, isPrepared && name !== undefined ? { ...config, name } : config, as);
    const scope = (client: PoolClient) => (hasScopes.get(client) === true ? current() : undefined);
    return {
      ...createSql((config) => runOnce({ connect, run, scope }, config)),
      transaction: (fn, transactionOptions) =>
        withTransaction({ connect, run, scope }, fn, transactionOptions),
    };
  }

  let closing: Promise<void> | undefined;
  const close = () =>
    (closing ??= pool.end().finally(() => {
      limits.close();
    }));
  function as(who: Identity): DatabasePool {
    return {
      ...within(statementTimeoutMs > 0 ? statementTimeoutMs : Infinity, SCOPES[who]),
      within: (limitMs) => within(limitMs, SCOPES[who]),
      as,
      close,
      pg: pool,
    };
  }
  return as('tenant');
}

const SCOPES: Readonly<Record<Identity, () => Scope | undefined>> = {
  tenant: tenantScope,
  system: () => SYSTEM_SCOPE,
  login: () => undefined,
};

/** As for transactions, but a statement outside one can have a scope of its own. */
type Source = Omit<Connections, 'run'> &
  Readonly<{ run: (client: PoolClient, config: QueryConfig, scope?: Scope) => Promise<QueryResult> }>;

/**
 * Runs one statement on any connection of the pool. As in pg's `pool.query`, a connection is closed after a failed
 * statement (it may hold a plan that fails for good after a migration), except when the statement was only cancelled.
 */
async function runOnce({ connect, run, scope }: Source, config: QueryConfig): Promise<QueryResult> {
  const client = await connect();
  let isBroken = false;
  try {
    return await run(client, config, scope(client));
  } catch (error) {
    isBroken = !wasCanceled(error);
    throw error;
  } finally {
    client.release(isBroken);
  }
}
