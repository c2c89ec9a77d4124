import { AppError } from '@factmill/errors';
import type { PoolClient, QueryConfig, QueryResult } from 'pg';
import { isRetryableConflict, isUnavailable, toDatabaseError, wasCanceled } from './database-errors.ts';
import { createSql } from './sql-over.ts';
import type { Sql, TransactionOptions } from './sql.ts';
import { beginText, type Scope } from './tenant-scope.ts';

/** The source of connections for transactions. */
export type Connections = Readonly<{
  connect: () => Promise<PoolClient>;
  run: (client: PoolClient, config: QueryConfig) => Promise<QueryResult>;
  /** As whom a transaction that begins now runs; undefined: as the user of the connection. */
  scope: (client: PoolClient) => Scope | undefined;
}>;

/**
 * Runs `fn` in one transaction: committed when it resolves, rolled back when it rejects. Rejects with the error of
 * `fn`, whatever the rollback does. When the connection is lost during COMMIT the outcome is unknown
 * (`database_unavailable`), so callers use idempotent statements. A connection that broke, or whose rollback failed,
 * is destroyed, never reused.
 */
export async function withTransaction<T>(
  connections: Connections,
  fn: (tx: Sql) => Promise<T>,
  options: TransactionOptions = {},
): Promise<T> {
  const maxAttempts = options.maxAttempts ?? 1;
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await runOnce(connections, fn, options);
    } catch (error) {
      if (attempt >= maxAttempts || !isRetryableConflict(error)) throw error;
    }
  }
}

async function runOnce<T>(
  connections: Connections,
  fn: (tx: Sql) => Promise<T>,
  options: TransactionOptions,
): Promise<T> {
  const client = await connect(connections);
  const query: Query = (config) => connections.run(client, config);
  // After the end another caller has the client: a forgotten await inside `fn` must not run there.
  let open = true;
  const tx = createSql(async (config) => {
    if (!open) throw new AppError('internal', 'A statement was sent after its transaction had ended.');
    return query(config);
  });
  let broken = false;
  try {
    await send(query, beginText(connections.scope(client), options.isolation));
    const result = await fn(tx);
    open = false;
    const ended = await send(query, 'commit');
    // When `fn` swallowed the error of a failed statement, Postgres turns COMMIT into ROLLBACK silently.
    if (ended.command === 'ROLLBACK') {
      throw new AppError('internal', 'The transaction was rolled back: a statement in it had failed.');
    }
    return result;
  } catch (error) {
    open = false;
    broken = (isUnavailable(error) && !wasCanceled(error)) || !(await rolledBack(query));
    throw error;
  } finally {
    client.release(broken);
  }
}

type Query = (config: QueryConfig) => Promise<QueryResult>;

async function connect(connections: Connections): Promise<PoolClient> {
  try {
    return await connections.connect();
  } catch (error) {
    throw toDatabaseError(error);
  }
}

async function rolledBack(query: Query): Promise<boolean> {
  try {
    await query({ text: 'rollback' });
    return true;
  } catch {
    return false;
  }
}

async function send(query: Query, text: string): Promise<QueryResult> {
  try {
    return await query({ text });
  } catch (error) {
    throw toDatabaseError(error);
  }
}
