import type { PoolClient, QueryConfig, QueryResult } from 'pg';
import { cancelStatement } from './cancel-statement.ts';

export type StatementLimits = Readonly<{
  /**
   * Runs a statement that may take `limitMs` (Infinity: as long as it does). Rejects as pg does: with SQLSTATE 57014
   * when the server has ended it, and the connection is as good as before; with `Query read timeout` when the server
   * has not, and the connection is closed.
   */
  run: (client: PoolClient, limitMs: number, config: QueryConfig) => Promise<QueryResult>;
  close: () => void;
}>;

type Running = {
  readonly client: PoolClient;
  readonly since: number;
  readonly limitMs: number;
  cancelling?: Promise<void>;
};

/**
 * Ends statements that take longer than they may: first the server is asked to; when it has not done so `graceMs` later,
 * or cannot be asked, the connection is closed. With a grace of 0 the server is not asked at all.
 *
 * One look over all that runs, every `checkMs`, and no timer for each statement: with pg's `query_timeout`, the rows of
 * all queries outlived the young generation of the heap, so that a busy search service stood still for 21 ms at each
 * collection instead of 5. And no `SET` before it, which would be a round trip, and not hold behind PgBouncer.
 */
export function limitStatements(options: Readonly<{ graceMs: number; checkMs: number }>): StatementLimits {
  const { graceMs, checkMs } = options;
  const statements = new Set<Running>();
  const timer = setInterval(() => {
    const now = performance.now();
    for (const statement of statements) {
      const overdueMs = now - statement.since - statement.limitMs;
      if (overdueMs >= graceMs) giveUp(statement.client);
      else if (overdueMs >= 0) statement.cancelling ??= cancel(statement.client);
    }
  }, checkMs).unref();

  async function cancel(client: PoolClient): Promise<void> {
    if (!(await cancelStatement(client, graceMs))) giveUp(client);
  }

  return {
    async run(client, limitMs, config) {
      const statement: Running = { client, since: performance.now(), limitMs };
      statements.add(statement);
      try {
        return await client.query(config);
      } finally {
        statements.delete(statement);
        // A request to cancel names a connection, not a statement: it must not end the next one on it.
        if (statement.cancelling !== undefined) await statement.cancelling;
      }
    },
    close() {
      clearInterval(timer);
    },
  };
}

function giveUp(client: PoolClient): void {
  client.connection.stream.destroy(new Error('Query read timeout'));
}
