import { afterAll, beforeEach } from '@jest/globals';
import { createEmptyDatabase, createTestDatabase } from './test-database.ts';
import type { Partitioned } from './test-environment.ts';

type Logger = Readonly<{ info: () => void; warn: () => void }>;

/** What the tests of a database have of `@factmill/database`, which the testkit stands beside and not upon. */
export type DatabaseUnderTest<Pool> = Readonly<{
  migrate: (
    connectionString: string,
    options: Readonly<{ logger: Logger }> & Partitioned,
  ) => Promise<unknown>;
  createPool: (
    options: Readonly<{ connectionString: string; max: number; applicationName: string; logger: Logger }>,
  ) => Pool;
}>;

type TestPool = Readonly<{ query: (text: string) => Promise<unknown>; close: () => Promise<void> }>;

export type OpenTestDatabase<Pool> = Readonly<{
  database: Pool;
  connectionString: string;
  serviceUrl: string;
  /** Runs after the last test, while the database is still there: for closing what uses it. The last one first. */
  beforeClose: (close: () => unknown) => void;
}>;

/**
 * A migrated database for the tests of one file, with a pool. Both are gone after the last test. Only for test files,
 * at their top level: `const { database } = await openTestDatabase({ createPool, migrate });`
 *
 * @param options.max connections of the pool
 * @param options.truncate tables that are empty before each test, with those that refer to them
 */
export async function openTestDatabase<Pool extends TestPool>(
  { createPool, migrate }: DatabaseUnderTest<Pool>,
  { max = 5, truncate = [] }: Readonly<{ max?: number; truncate?: readonly string[] }> = {},
): Promise<OpenTestDatabase<Pool>> {
  const own = await createTestDatabase({ migrate: (url, how) => migrate(url, { logger: quiet, ...how }) });
  const { connectionString, serviceUrl } = own;
  const database = createPool({ connectionString, max, applicationName: 'factmill-test', logger: quiet });
  const closings: (() => unknown)[] = [];
  if (truncate.length > 0) {
    beforeEach(async () => {
      await database.query(`truncate ${truncate.join(', ')} cascade`);
    });
  }
  afterAll(async () => {
    for (const close of closings.toReversed()) await close();
    await database.close();
    await own.drop();
  });
  return { database, connectionString, serviceUrl, beforeClose: (close) => closings.push(close) };
}

/**
 * A migrated database with four partitions for the tests of one file, whatever TEST_PARTITIONS says, and a function that
 * opens pools of one connection each. All are gone after the last test. Only at the top level of test files.
 */
export async function openPartitionedDatabase<Pool extends TestPool>({
  createPool,
  migrate,
}: DatabaseUnderTest<Pool>): Promise<Readonly<{ open: () => Pool }>> {
  const own = await createEmptyDatabase();
  const { connectionString } = own;
  await migrate(connectionString, { logger: quiet, partitions: 4 });
  const pools: Pool[] = [];
  afterAll(async () => {
    for (const pool of pools) await pool.close();
    await own.drop();
  });
  return {
    open: () => {
      const pool = createPool({ connectionString, max: 1, applicationName: 'factmill-test', logger: quiet });
      pools.push(pool);
      return pool;
    },
  };
}

const quiet: Logger = { info: () => undefined, warn: () => undefined };
