import { AppError } from '@factmill/errors';
import type { Pool, PoolClient, QueryResult } from 'pg';
import { isRetryableConflict, isUnavailable, toDatabaseError } from './database-errors.ts';
import { createSql } from './sql-over.ts';
import type { Sql, TransactionOptions } from './sql.ts';

/**
 * Runs `fn` in one transaction: committed when it resolves, rolled back when it rejects. Rejects with what `fn`
 * rejected with, whatever the rollback does. When the connection is lost during COMMIT the outcome is unknown
 * (`database_unavailable`), so callers make their statements idempotent. A connection that broke, or on which
 * the rollback failed, is destroyed, never reused.
 */
export async function withTransaction<T>(
  pool: Pool,
  fn: (tx: Sql) => Promise<T>,
  options: TransactionOptions = {},
): Promise<T> {
  const maxAttempts = options.maxAttempts ?? 1;
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await runOnce(pool, fn, options);
    } catch (error) {
      if (attempt >= maxAttempts || !isRetryableConflict(error)) throw error;
    }
  }
}

async function runOnce<T>(pool: Pool, fn: (tx: Sql) => Promise<T>, options: TransactionOptions): Promise<T> {
  const client = await connect(pool);
  // After the end the client belongs to someone else: a forgotten await inside `fn` must not run there.
  let open = true;
  const tx = createSql(async (config) => {
    if (!open) throw new AppError('internal', 'A statement was sent after its transaction had ended.');
    return client.query(config);
  });
  let broken = false;
  try {
    await send(
      client,
      options.isolation === undefined ? 'begin' : `begin isolation level ${options.isolation}`,
    );
    const result = await fn(tx);
    open = false;
    const ended = await send(client, 'commit');
    // A failed statement whose error `fn` swallowed turns COMMIT into ROLLBACK, silently.
    if (ended.command === 'ROLLBACK') {
      throw new AppError('internal', 'The transaction was rolled back: a statement in it had failed.');
    }
    return result;
  } catch (error) {
    open = false;
    broken = isUnavailable(error) || !(await rolledBack(client));
    throw error;
  } finally {
    client.release(broken);
  }
}

async function connect(pool: Pool): Promise<PoolClient> {
  try {
    return await pool.connect();
  } catch (error) {
    throw toDatabaseError(error);
  }
}

async function rolledBack(client: PoolClient): Promise<boolean> {
  try {
    await client.query('rollback');
    return true;
  } catch {
    return false;
  }
}

async function send(client: PoolClient, text: string): Promise<QueryResult> {
  try {
    return await client.query(text);
  } catch (error) {
    throw toDatabaseError(error);
  }
}
