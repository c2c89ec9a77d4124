/** The Postgres that tests may create databases on. */
export function testDatabaseUrl(): string {
  return required('TEST_DATABASE_URL');
}

/** The Redis that tests may write to. */
export function testRedisUrl(): string {
  return required('TEST_REDIS_URL');
}

/** The folder with initdb, postgres and pg_dump, for tests that need a server of their own. */
export function testPgBinDir(): string {
  return required('TEST_PG_BIN_DIR');
}

/** The path of PgBouncer. */
export function testPgbouncer(): string {
  return required('TEST_PGBOUNCER');
}

/** How the tables of a database are made: with no partitions unless there is a number. */
export type Partitioned = Readonly<{ partitions?: number }>;

/** What TEST_PARTITIONS says: `4` gives the tables of tenants in every test's database four partitions each. */
export function testPartitions(): Partitioned {
  const value = process.env['TEST_PARTITIONS'] ?? '';
  return value === '' ? {} : { partitions: Number(value) };
}

function required(name: string): string {
  const value = process.env[name];
  if (value === undefined || value === '') {
    throw new Error(`${name} is not set: run the tests through npm test, or set ${name}`);
  }
  return value;
}
