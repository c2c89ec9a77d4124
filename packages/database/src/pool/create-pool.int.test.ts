import { afterAll, afterEach, beforeAll, describe, expect, test } from '@jest/globals';
import { inspect } from 'node:util';
import { AppError } from '@factmill/errors';
import { createEmptyDatabase, freePort, waitFor, type TestDatabase } from '@factmill/testkit';
import { createPool, type PoolOptions } from './create-pool.ts';
import { isRetryableConflict, sqlStateOf, violatedConstraint } from './database-errors.ts';
import type { DatabasePool } from './sql.ts';

let database: TestDatabase;
let warnings: string[] = [];
const pools: DatabasePool[] = [];

beforeAll(async () => {
  database = await createEmptyDatabase();
  const pool = openPool();
  await pool.query('create table counters (id integer primary key, n bigint not null)');
});

afterEach(async () => {
  await Promise.all(pools.splice(0).map((pool) => pool.close()));
  warnings = [];
});

afterAll(() => database.drop());

function openPool(options: Partial<PoolOptions> = {}): DatabasePool {
  const pool = createPool({
    connectionString: database.connectionString,
    max: 4,
    applicationName: 'factmill-test',
    logger: { info: () => undefined, warn: (_fields, message) => warnings.push(message) },
    ...options,
  });
  pools.push(pool);
  return pool;
}

describe('queries', () => {
  test('columns arrive as the types that are documented', async () => {
    const row = await openPool().one<Record<string, unknown>>(
      `select 7::bigint as int8, 0.25::numeric as numeric, '2026-03-01T00:00:00Z'::timestamptz as instant,
              '2026-03-01'::date as day, '{"a":[1]}'::jsonb as json, '{x,y}'::text[] as list`,
    );
    expect(row).toEqual({
      int8: 7,
      numeric: 0.25,
      instant: new Date('2026-03-01T00:00:00Z'),
      day: '2026-03-01',
      json: { a: [1] },
      list: ['x', 'y'],
    });
  });

  test('one and maybeOne count their rows', async () => {
    const pool = openPool();
    await expect(pool.maybeOne('select 1 where false')).resolves.toBeUndefined();
    await expect(pool.one('select 1 where false')).rejects.toMatchObject({ code: 'internal' });
    await expect(pool.maybeOne('select generate_series(1, 2)')).rejects.toMatchObject({ code: 'internal' });
  });

  test('a named statement is prepared once per connection', async () => {
    const pool = openPool({ max: 1 });
    for (const n of [1, 2, 3]) {
      await expect(pool.one('select $1::integer as n', [n], { name: 'echo' })).resolves.toEqual({ n });
    }
    await expect(pool.one('select count(*) as n from pg_prepared_statements')).resolves.toEqual({ n: 1 });
  });

  test('a refused statement tells what was violated and not with which values', async () => {
    const pool = openPool();
    await pool.query('insert into counters values (1, 0) on conflict do nothing');
    const error: unknown = await pool
      .query('insert into counters values ($1::integer, 0)', [1])
      .catch((e: unknown) => e);
    expect(error).toBeInstanceOf(AppError);
    expect(sqlStateOf(error)).toBe('23505');
    expect(violatedConstraint(error)).toBe('counters_pkey');
    const bad: unknown = await pool.query('select $1::uuid', ['my-secret']).catch((e: unknown) => e);
    expect(`${String(bad)} ${inspect(bad)}`).not.toContain('my-secret');
  });

  test('a statement that takes too long is canceled', async () => {
    const pool = openPool({ statementTimeoutMs: 50 });
    await expect(pool.query('select pg_sleep(10)')).rejects.toMatchObject({ code: 'database_unavailable' });
  });

  test('a transaction may take longer than its statements', async () => {
    const pool = openPool({ max: 1, statementTimeoutMs: 1_000, answerGraceMs: 0, checkStatementsMs: 5 });
    const answered = await pool.transaction(async (tx) => {
      for (let step = 0; step < 3; step += 1) await tx.query('select pg_sleep(0.5)');
      return tx.one<{ n: number }>('select 1 as n');
    });
    expect(answered).toEqual({ n: 1 });
  });

  test('a database that is not there is unavailable', async () => {
    const pool = openPool({ connectionString: `postgres://nobody@127.0.0.1:${await freePort()}/none` });
    await expect(pool.query('select 1')).rejects.toMatchObject({ code: 'database_unavailable' });
    await expect(pool.transaction(() => Promise.resolve())).rejects.toMatchObject({
      code: 'database_unavailable',
    });
  });
});

describe('connections', () => {
  test('an idle connection that the server ends is replaced', async () => {
    const pool = openPool({ max: 1 });
    const killer = openPool({ max: 1 });
    const { pid } = await pool.one<{ pid: number }>('select pg_backend_pid() as pid');
    await killer.query('select pg_terminate_backend($1::integer)', [pid]);
    await waitFor(() => warnings.length > 0, { describe: 'the lost connection to be noticed' });
    const next = await pool.one<{ pid: number }>('select pg_backend_pid() as pid');
    expect(next.pid).not.toBe(pid);
  });

  test('a transaction whose connection ends fails as unavailable, and the connection is not used again', async () => {
    const pool = openPool({ max: 1 });
    const killer = openPool({ max: 1 });
    const failed = pool.transaction(async (tx) => {
      const { pid } = await tx.one<{ pid: number }>('select pg_backend_pid() as pid');
      await killer.query('select pg_terminate_backend($1::integer)', [pid]);
      await tx.query('select 1');
    });
    await expect(failed).rejects.toMatchObject({ code: 'database_unavailable' });
    await expect(pool.one('select 1 as n')).resolves.toEqual({ n: 1 });
  });

  test('close is idempotent', async () => {
    const pool = openPool();
    await pool.query('select 1');
    await Promise.all([pool.close(), pool.close()]);
    await expect(pool.query('select 1')).rejects.toMatchObject({ code: 'database_unavailable' });
  });
});

describe('transactions', () => {
  test('commit together, or not at all', async () => {
    const pool = openPool();
    await pool.transaction((tx) => tx.query('insert into counters values (10, 1)'));
    const cause = new Error('changed my mind');
    const failed = pool.transaction(async (tx) => {
      await tx.query('update counters set n = 2 where id = 10');
      throw cause;
    });
    await expect(failed).rejects.toBe(cause);
    await expect(pool.one('select n from counters where id = 10')).resolves.toEqual({ n: 1 });
  });

  test('a swallowed failure inside does not look like a commit', async () => {
    const pool = openPool();
    const result = pool.transaction(async (tx) => {
      await tx.query('insert into counters values (11, 1)');
      await tx.query('select 1 / 0').catch(() => undefined);
    });
    await expect(result).rejects.toMatchObject({ code: 'internal' });
    await expect(pool.maybeOne('select n from counters where id = 11')).resolves.toBeUndefined();
  });

  test('a statement after the end is refused instead of running in someone else’s transaction', async () => {
    const pool = openPool({ max: 1 });
    const late = await pool.transaction((tx) => Promise.resolve(tx));
    await expect(late.query('select 1')).rejects.toMatchObject({ code: 'internal' });
  });

  test('the isolation level holds for this transaction only', async () => {
    const pool = openPool({ max: 1 });
    const show = 'show transaction_isolation';
    const inside = await pool.transaction((tx) => tx.one(show), { isolation: 'serializable' });
    expect(inside).toEqual({ transaction_isolation: 'serializable' });
    await expect(pool.one(show)).resolves.toEqual({ transaction_isolation: 'read committed' });
  });

  test('concurrent serializable increments all arrive when they may retry', async () => {
    const pool = openPool();
    await pool.query('insert into counters values (12, 0)');
    const increment = () =>
      pool.transaction(
        async (tx) => {
          const { n } = await tx.one<{ n: number }>('select n from counters where id = 12');
          await tx.query('update counters set n = $1::bigint where id = 12', [n + 1]);
        },
        { isolation: 'serializable', maxAttempts: 100 },
      );
    await Promise.all(Array.from({ length: 12 }, increment));
    await expect(pool.one('select n from counters where id = 12')).resolves.toEqual({ n: 12 });
  });

  test('without a second attempt the conflict is reported as one', async () => {
    const pool = openPool();
    await pool.query('insert into counters values (13, 0)');
    const conflict = pool.transaction(
      async (tx) => {
        await tx.one('select n from counters where id = 13');
        await pool.query('update counters set n = 5 where id = 13');
        await tx.query('update counters set n = 6 where id = 13');
      },
      { isolation: 'repeatable read' },
    );
    const error: unknown = await conflict.catch((e: unknown) => e);
    expect(isRetryableConflict(error)).toBe(true);
  });
});
