import { afterAll, afterEach, beforeAll, describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { createEmptyDatabase, type TestDatabase, waitFor } from '@factmill/testkit';
import { startCancelProxy } from './cancel-proxy.fixture.ts';
import { createPool, type PoolOptions } from './create-pool.ts';
import type { Database, DatabasePool, Sql } from './sql.ts';

const TOO_LONG = {
  code: 'database_unavailable',
  message: 'The database took too long to answer. Ask for less at once, or send the same again later.',
};

let database: TestDatabase;
let observer: DatabasePool;
const opened: Readonly<{ close: () => Promise<void> }>[] = [];

beforeAll(async () => {
  database = await createEmptyDatabase();
  observer = createPool({ ...poolOptions, connectionString: database.connectionString });
  await observer.query('create table things (id integer primary key)');
});
afterEach(async () => {
  for (const thing of opened.splice(0).reverse()) await thing.close();
});
afterAll(async () => {
  await observer.close();
  await database.drop();
});

const poolOptions = {
  max: 2,
  applicationName: 'limits-test',
  checkStatementsMs: 5,
  logger: { info: () => undefined, warn: () => undefined },
};

function openPool(options: Partial<PoolOptions> = {}): DatabasePool {
  const pool = createPool({ ...poolOptions, connectionString: database.connectionString, ...options });
  opened.push(pool);
  return pool;
}

async function pidOf(sql: Sql): Promise<number> {
  return (await sql.one<{ pid: number }>('select pg_backend_pid() as pid')).pid;
}

/** What the server is doing for a connection: `active` while a statement runs. */
async function stateOf(pid: number): Promise<string | undefined> {
  const row = await observer.maybeOne<{ state: string }>(
    'select state from pg_stat_activity where pid = $1::integer',
    [pid],
  );
  return row?.state;
}

/** The limits that a process has, a hundred times shorter. */
const CLASSES = { search: 100, list: 150, accept: 300, batch: 450, maintenance: 600 };

describe('a statement that takes longer than its class may', () => {
  test.each(Object.entries(CLASSES))('is ended on the server: %s', async (_name, limitMs) => {
    const pool = openPool({ max: 1, statementTimeoutMs: 60_000 });
    const pid = await pidOf(pool);
    const startedAt = performance.now();
    await expect(pool.within(limitMs).query('select pg_sleep(60)')).rejects.toMatchObject(TOO_LONG);
    expect(performance.now() - startedAt).toBeGreaterThanOrEqual(limitMs);
    // The error is sent before the server has put everything away.
    await waitFor(async () => (await stateOf(pid)) === 'idle', { describe: 'the statement to be gone' });
    expect(await pidOf(pool)).toBe(pid);
  });

  test('is ended where it waits for a lock, and leaves none', async () => {
    const pool = openPool({ statementTimeoutMs: 60_000 });
    await observer.transaction(async (tx) => {
      await tx.query('lock table things');
      await expect(pool.within(50).query('insert into things values (1)')).rejects.toMatchObject(TOO_LONG);
      const failed = pool.within(50).transaction(async (own) => {
        await own.query('select 1');
        await own.query('insert into things values (2)');
      });
      await expect(failed).rejects.toMatchObject(TOO_LONG);
      const waiting = () => tx.one<{ n: number }>('select count(*) as n from pg_locks where not granted');
      await waitFor(async () => (await waiting()).n === 0, { describe: 'no lock to be waited for' });
    });
    expect((await pool.query('select id from things')).rows).toEqual([]);
  });

  test('rolls its transaction back, whose connection is used again', async () => {
    const pool = openPool({ max: 1, statementTimeoutMs: 60_000 });
    let pid = 0;
    const failed = pool.within(50).transaction(async (tx) => {
      pid = await pidOf(tx);
      await tx.query('insert into things values (3)');
      await tx.query('select pg_sleep(60)');
    });
    await expect(failed).rejects.toMatchObject(TOO_LONG);
    expect(await pidOf(pool)).toBe(pid);
    expect(await pool.maybeOne('select id from things where id = 3')).toBeUndefined();
  });

  test('does not touch what other classes do on the same pool', async () => {
    const pool = openPool({ max: 2, statementTimeoutMs: 60_000 });
    const patient = pool.within(30_000).one<{ n: number }>('select 1 as n from pg_sleep(0.5)');
    const rounds = 3;
    for (let round = 0; round < rounds; round += 1) {
      await expect(pool.within(50).query('select pg_sleep(60)')).rejects.toMatchObject(TOO_LONG);
    }
    expect(await patient).toEqual({ n: 1 });
  });
});

test('a request to end a statement never ends the next one on its connection', async () => {
  const pool = openPool({ max: 1, statementTimeoutMs: 60_000 });
  const hurried = pool.within(20);
  await fc.assert(
    // About as long as it may take, so that some end by themselves while the request is on its way.
    fc.asyncProperty(fc.integer({ min: 15, max: 35 }), async (ms) => {
      await hurried.query('select pg_sleep($1::float8 / 1000)', [ms]).catch((error: unknown) => {
        expect(error).toMatchObject(TOO_LONG);
      });
      expect(await pool.one('select 1 as n from pg_sleep(0.002)')).toEqual({ n: 1 });
    }),
    { numRuns: 60 },
  );
});

describe.each(['closed', 'unanswered'] as const)(
  'a server that does not end a statement, requests for it %s',
  (cancels) => {
    async function openPoolBehindProxy() {
      const proxy = await startCancelProxy(database.connectionString, cancels);
      opened.push(proxy);
      const { connectionString } = proxy;
      return {
        proxy,
        pool: openPool({ max: 1, connectionString, statementTimeoutMs: 0, answerGraceMs: 1_000 }),
      };
    }

    async function isGivenUp(fn: (database: Database) => Promise<unknown>) {
      const { proxy, pool } = await openPoolBehindProxy();
      const pid = await pidOf(pool);
      await expect(fn(pool.within(100))).rejects.toMatchObject(TOO_LONG);
      expect(await pidOf(pool)).not.toBe(pid);
      await waitFor(() => proxy.cancelled() === 1, { describe: 'the request to reach the server' });
      await observer.query('select pg_terminate_backend($1::integer)', [pid]);
    }

    test('is given up, and its connection replaced', async () => {
      await isGivenUp((hurried) => hurried.query('select pg_sleep(60)'));
    });

    test('is given up by a transaction', async () => {
      await isGivenUp((hurried) => hurried.transaction((tx) => tx.query('select pg_sleep(60)')));
    });
  },
);

test('a server that cannot end a statement is not asked to', async () => {
  const proxy = await startCancelProxy(database.connectionString, 'closed');
  opened.push(proxy);
  const { connectionString } = proxy;
  const pool = openPool({ max: 1, connectionString, statementTimeoutMs: 0, answerGraceMs: 0 });
  const pid = await pidOf(pool);
  await expect(pool.within(50).query('select pg_sleep(60)')).rejects.toMatchObject(TOO_LONG);
  expect(proxy.cancelled()).toBe(0);
  await observer.query('select pg_terminate_backend($1::integer)', [pid]);
});
