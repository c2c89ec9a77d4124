import type { Pool } from 'pg';

/** What a statement returned. `rowCount` is 0 for statements without one. */
export type SqlResult<Row> = Readonly<{ rows: Row[]; rowCount: number }>;

export type QueryOptions = Readonly<{
  /**
   * Prepares the statement under this name once per connection, which saves parsing and planning. One name, one
   * text: pg refuses a second text under the same name.
   */
  name?: string;
}>;

/**
 * What a query function needs: the pool itself, or one transaction. Every rejection is an AppError
 * (see `toDatabaseError`); none carries parameter values.
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
   * How often `fn` may run in all when the transaction loses to a concurrent one (deadlock, serialization
   * failure). Default 1. Above 1, `fn` must not have effects outside the database.
   */
  maxAttempts?: number;
}>;

/** Statements, and transactions of several, on any connection of a pool. */
export type Database = Sql &
  Readonly<{ transaction<T>(fn: (tx: Sql) => Promise<T>, options?: TransactionOptions): Promise<T> }>;

/** A pool of connections. Close it once, at the end. */
export type DatabasePool = Database &
  Readonly<{
    /**
     * The same connections for statements that may take `limitMs` each, if the pool's own limit is not shorter. One that
     * takes longer is ended on the server and fails as `database_unavailable`: it has done nothing. Only where the server
     * does not answer either is the outcome unknown, as when a connection is lost.
     */
    within(limitMs: number): Database;
    /** Waits for running queries, then closes every connection. Idempotent. */
    close(): Promise<void>;
    /** The pg pool itself, for libraries that want one. */
    pg: Pool;
  }>;
