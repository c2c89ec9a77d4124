import type { Client, Pool, PoolClient } from 'pg';

/** How often it is looked whether an answer is overdue. */
const CHECK_MS = 1_000;

/**
 * Ends the connections that a pool's queries have had for longer than `mostMs`, for a server that neither answers nor
 * hangs up: their queries reject with `Query read timeout`.
 *
 * Not by pg's `query_timeout`: with its timer around each query, the rows of all queries outlive the young generation
 * of the heap, so that a busy search service stood still for 21 ms at each collection instead of 5.
 */
export function endStuckQueries(pool: Pool, mostMs: number) {
  const since = new Map<PoolClient, number>();
  pool.on('acquire', (client) => {
    since.set(client, performance.now());
  });
  pool.on('release', (_error, client) => {
    since.delete(client);
  });
  const timer = setInterval(
    () => {
      const overdue = performance.now() - mostMs;
      for (const [client, at] of since) {
        if (at > overdue) continue;
        since.delete(client);
        (client as PoolClient & Pick<Client, 'connection'>).connection.stream.destroy(
          new Error('Query read timeout'),
        );
      }
    },
    Math.min(CHECK_MS, mostMs),
  ).unref();
  return {
    /** Leaves a connection alone until it is taken from the pool again: a transaction may take its time. */
    ignore: (client: PoolClient) => {
      since.delete(client);
    },
    close: () => {
      clearInterval(timer);
    },
  };
}
