import type { PoolClient, QueryConfig, QueryResult } from 'pg';
import { cancelStatement } from './cancel-statement.ts';
import { queryInScope } from './query-in-scope.ts';
import type { Scope } from './tenant-scope.ts';

export type StatementLimits = Readonly<{
  /**
   * Runs a statement with a limit of `limitMs` (may be Infinity). Rejects as pg does: with SQLSTATE 57014 when the
   * server has cancelled it, and the connection stays usable; with `Query read timeout` when the server has not, and
   * the connection is closed.
   *
   * @param scope as whom it runs; absent: as before it
   */
  run: (client: PoolClient, limitMs: number, config: QueryConfig, scope?: Scope) => Promise<QueryResult>;
  close: () => void;
}>;

type Running = {
  readonly client: PoolClient;
  readonly since: number;
  readonly limitMs: number;
  cancelling?: Promise<void>;
};

/**
 * Cancels statements that exceed their limit: asks the server first; closes the connection when the server has not
 * ended the statement `graceMs` later, or cannot be asked. With a grace of 0 the server is not asked.
 *
 * One check of all running statements every `checkMs` replaces a timer per statement: with pg's `query_timeout`, the
 * rows of all queries outlived the young generation of the heap, and garbage collection paused a busy search service
 * for 21 ms each time instead of 5. A `SET` before each statement would cost a round trip, and would not last behind
 * PgBouncer.
 */
export function limitStatements(
  options: Readonly<{ graceMs: number; checkMs: number; isPrepared?: boolean }>,
): StatementLimits {
  const { graceMs, checkMs, isPrepared = true } = options;
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
    async run(client, limitMs, config, scope) {
      const statement: Running = { client, since: performance.now(), limitMs };
      statements.add(statement);
      try {
        return await (scope === undefined
          ? client.query(config)
          : queryInScope(client, config, scope, isPrepared));
      } finally {
        statements.delete(statement);
        // A cancel request names a connection, not a statement: wait, so that it does not hit the next statement.
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
