import { AppError } from '@factmill/errors';
import { Client } from 'pg';
import { columnTypes } from '../pool/column-types.ts';
import { sqlStateOf, toDatabaseError } from '../pool/database-errors.ts';
import type { DatabaseLogger } from '../pool/database-logger.ts';
import { createSql } from '../pool/sql-over.ts';
import { isSchemaOfAnother } from '../queries/operators/login.ts';
import type { Sql } from '../pool/sql.ts';
import { ensureTrigram, ensureVector, warnAboutVector } from './extensions.ts';
import { applyFunctionsAlone, applyMigration, type Session } from './apply.ts';
import { mendEventClock } from './mend-event-clock.ts';
import { choosePartitions, nameIndexesOfPartitions } from './partitions.ts';
import { partitionMigrations } from './partition-tables.ts';
import { pendingMigrations } from './pending-migrations.ts';
import { applyRowSecurity } from './row-security.ts';
import { loadSchemaFiles, SCHEMA_DIRECTORY, type SchemaFiles } from './schema-files.ts';
import { assertNotNewer, createSchemaFunctions, readSchemaFunctions } from './schema-functions.ts';
import { createSchemaMigrations, readSchemaMigrations } from './schema-migrations.ts';
import { provideServiceUser, type ServiceAccess } from './service-user.ts';

export type MigrateOptions = Readonly<{
  logger: DatabaseLogger;
  /** Holds the folders `migrations`, `functions` and `triggers`. Default: this package. */
  directory?: string;
  /** How long to wait while another process migrates. Default 2 minutes. */
  lockTimeoutMs?: number;
  /** Of a user for the services, which is created when missing. Absent: they log in as the owner, or as users of an administrator. */
  services?: ServiceAccess | undefined;
  /**
   * How many partitions each table of tenants has, by a hash of the tenant. Only for a new database; absent: none, or
   * what the tables have already.
   */
  partitions?: number | undefined;
}>;

export type MigrateResult = Readonly<{
  /** Names of the migrations this call applied, in order. */
  applied: readonly string[];
  /** Names of the functions and triggers this call created or replaced. */
  functions: readonly string[];
  /** Whether pg_trgm is installed, and with it the trigram indexes. */
  trigram: boolean;
  vectorVersion: string;
  /** What an administrator of the server has to run for the services, because this user may not. */
  byHand: readonly string[];
}>;

/** An arbitrary constant: the lock on which all migrating processes of one database meet. */
const MIGRATION_LOCK = 7_215_340_001;

/**
 * Brings a database to this program's schema. Safe with any number of starters at once: they take turns under a
 * session advisory lock, each migration commits together with its record, and a crash leaves complete migrations
 * only. The functions are created or replaced in the transaction of the last migration, so that a running process
 * never misses a function; then the tables get the policies that they lack. Uses its own connection, so that no setting leaks into a pool.
 *
 * Throws `schema_outdated` when the database and the files contradict each other, `config_invalid` when pgvector is
 * missing or too old or the tables cannot have the partitions that are asked for, `database_unavailable` when the database or the lock is not available.
 */
export async function migrate(connectionString: string, options: MigrateOptions): Promise<MigrateResult> {
  const files = await loadSchemaFiles(options.directory ?? SCHEMA_DIRECTORY);
  const client = new Client({
    connectionString,
    application_name: 'factmill-migrate',
    connectionTimeoutMillis: 10_000,
    keepAlive: true,
    types: columnTypes,
  });
  // The next statement reports a connection that broke between two statements.
  client.on('error', () => undefined);
  const sql = createSql((config) => client.query(config));
  const session = { sql, run: (text: string) => client.query(text).then(() => undefined) };
  try {
    await client.connect().catch((error: unknown) => {
      throw toDatabaseError(error);
    });
    await lock(sql, options.lockTimeoutMs ?? 120_000);
    return await migrateLocked(session, files, options);
  } finally {
    // Ending the session also releases the lock, except on embedded Postgres, which has only one session.
    await sql.query('select pg_advisory_unlock($1::bigint)', [MIGRATION_LOCK]).catch(() => undefined);
    await client.end().catch(() => undefined);
  }
}

async function migrateLocked(session: Session, files: SchemaFiles, options: MigrateOptions) {
  const { logger, services } = options;
  const { sql } = session;
  if (await isSchemaOfAnother(sql)) {
    throw new AppError(
      'config_invalid',
      'This user does not own the tables, so it cannot migrate. Put the address with their owner into DATABASE_OWNER_URL.',
    );
  }
  const before = (await readSchemaMigrations(sql)) ?? [];
  const partitions = await choosePartitions(sql, { isNew: before.length === 0, asked: options.partitions });
  const migrations = partitionMigrations(files.migrations, partitions);
  const pending = pendingMigrations({ ...files, migrations }, before);
  assertNotNewer(pending, files.functions, await readSchemaFunctions(sql));
  const vectorVersion = await ensureVector(sql);
  warnAboutVector(logger, vectorVersion);
  const trigram = await ensureTrigram(sql);
  if (!trigram) {
    logger.warn({}, 'the database has no pg_trgm extension: text search works, but without its indexes');
  }
  await createSchemaMigrations(sql);
  await createSchemaFunctions(sql);

  const applied: string[] = [];
  const possible = pending.filter((file) => trigram || !file.needsTrigram);
  let functions: readonly string[] | undefined;
  for (const file of possible) {
    const startedAt = performance.now();
    const isLast = file === possible.at(-1);
    const done = await applyMigration(session, file, isLast ? files.functions : undefined);
    if (done !== undefined) applied.push(file.name);
    functions = done?.functions;
    logger.info({ migration: file.name, durationMs: Math.round(performance.now() - startedAt) }, 'migrated');
  }
  functions ??= await applyFunctionsAlone(session, files.functions);
  if (partitions > 0) await nameIndexesOfPartitions(sql);
  await mendEventClock(sql);
  const hasPolicies = files.functions.files.some(({ name }) => name === 'apply_row_security');
  const byHand = hasPolicies ? await applyRowSecurity(sql) : [];
  if (services !== undefined) byHand.push(...(await provideServiceUser(sql, services)));
  return { applied, functions, trigram, vectorVersion, byHand };
}

/** The lock timeout is local to this transaction; the lock stays with the session. */
async function lock(sql: Sql, timeoutMs: number): Promise<void> {
  await sql.query('begin');
  try {
    await sql.query(
      `select set_config('lock_timeout', $1::text, true), set_config('statement_timeout', '0', true)`,
      [String(timeoutMs)],
    );
    await sql.query('select pg_advisory_lock($1::bigint)', [MIGRATION_LOCK]);
    await sql.query('commit');
  } catch (error) {
    await sql.query('rollback').catch(() => undefined);
    if (sqlStateOf(error) !== '55P03') throw error;
    throw new AppError(
      'database_unavailable',
      `Another process has been migrating this database for more than ${Math.round(timeoutMs / 1000)} seconds.`,
      { cause: error },
    );
  }
}
