import type { Pool } from 'pg';

/** The result of a statement. `rowCount` is 0 for statements without one. */
export type SqlResult<Row> = Readonly<{ rows: Row[]; rowCount: number }>;

export type QueryOptions = Readonly<{
  /**
   * Prepares the statement under this name once per connection, which saves parsing and planning. A name must always
   * have the same text: pg refuses another one.
   */
  name?: string;
}>;

/**
 * What a query function needs: the pool itself, or one transaction. Every rejection is an AppError (see
 * `toDatabaseError`), without parameter values.
 */
export type Sql = Readonly<{
  query<Row>(text: string, values?: readonly unknown[], options?: QueryOptions): Promise<SqlResult<Row>>;
  /** The only row. Zero or several rows are a bug. */
  one<Row>(text: string, values?: readonly unknown[], options?: QueryOptions): Promise<Row>;
  /** The only row or undefined. Several rows are a bug. */
  maybeOne<Row>(text: string, values?: readonly unknown[], options?: QueryOptions): Promise<Row | undefined>;
}>;

type IsolationLevel = 'read committed' | 'repeatable read' | 'serializable';

export type TransactionOptions = Readonly<{
  isolation?: IsolationLevel;
  /**
   * How often `fn` may run in total when the transaction loses to a concurrent one (deadlock, serialization failure).
   * Default 1. Above 1, `fn` must have no effects outside the database.
   */
  maxAttempts?: number;
}>;

/** Statements, and transactions of several, on any connection of a pool. */
export type Database = Sql &
  Readonly<{ transaction<T>(fn: (tx: Sql) => Promise<T>, options?: TransactionOptions): Promise<T> }>;

/** As whom statements run. */
export type Identity = 'tenant' | 'system' | 'login';

/** A pool of connections. Close it once, at the end. */
export type DatabasePool = Database &
  Readonly<{
    /**
     * The same connections with a limit of `limitMs` per statement, if the pool's own limit is not shorter. A
     * statement beyond it is cancelled on the server and fails as `database_unavailable`, without effect. Only when
     * the server does not answer either is the outcome unknown, as with a lost connection.
     */
    within(limitMs: number): Database;
    /**
     * The same connections, with statements that run as somebody else, if the pool has row-level security:
     *
     * - `tenant`: for the tenant that the current work is for (`asTenant`); the pool itself is this
     * - `system`: for work of no single tenant, whatever the current work is for
     * - `login`: as the user of the connection, for what only the owner of a table may do
     */
    as(who: Identity): DatabasePool;
    /** Waits for running queries, then closes every connection. Idempotent. */
    close(): Promise<void>;
    /** The pg pool itself, for libraries that need one. */
    pg: Pool;
  }>;
