import { waitFor } from '@factmill/testkit';
import type { DatabasePool, Sql } from '@factmill/database';

/**
 * Resolves when no transaction of the server is older than what was written until now. Tests of other databases run on
 * the same server, and what their transactions have open counts as written since for a snapshot of this one.
 */
export async function untilPassed(sql: Sql): Promise<void> {
  const { xid } = await sql.one<{ xid: string }>('select pg_current_xact_id()::text as xid');
  const hasPassed = async () => {
    const { passed } = await sql.one<{ passed: boolean }>(
      'select pg_snapshot_xmin(pg_current_snapshot()) > $1::xid8 as passed',
      [xid],
    );
    return passed;
  };
  await waitFor(hasPassed, { timeoutMs: 15_000, describe: 'the end of older transactions' });
}

/** Runs `fn` while a transaction that has written something is open; it is committed afterwards, whatever happens. */
export async function whileOpen(
  pool: DatabasePool,
  write: (tx: Sql) => Promise<unknown>,
  fn: () => Promise<void>,
): Promise<void> {
  const begun = Promise.withResolvers<void>();
  const goOn = Promise.withResolvers<void>();
  const writing = pool.transaction(async (tx) => {
    await write(tx);
    begun.resolve();
    await goOn.promise;
  });
  try {
    await Promise.race([begun.promise, writing]);
    await fn();
  } finally {
    goOn.resolve();
    await writing;
  }
}
