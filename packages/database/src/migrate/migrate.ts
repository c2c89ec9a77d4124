import { AppError } from '@factmill/errors';
import { Client } from 'pg';
import { columnTypes } from '../pool/column-types.ts';
import { sqlStateOf, toDatabaseError } from '../pool/database-errors.ts';
import type { DatabaseLogger } from '../pool/database-logger.ts';
import { createSql } from '../pool/sql-over.ts';
import type { Sql } from '../pool/sql.ts';
import { ensureTrigram, ensureVector, warnAboutVector } from './extensions.ts';
import { createLedger, insertLedgerEntry, pendingMigrations, readLedger } from './ledger.ts';
import { loadMigrationFiles, MIGRATIONS_DIRECTORY, type MigrationFile } from './migration-files.ts';

export type MigrateOptions = Readonly<{
  logger: DatabaseLogger;
  /** Where the migrations are. Default: this package's. */
  directory?: string;
  /** How long to wait while another process migrates. Default 2 minutes. */
  lockTimeoutMs?: number;
}>;

export type MigrateResult = Readonly<{
  /** Names of the migrations this call applied, in order. */
  applied: string[];
  /** Whether pg_trgm is there, and with it the trigram indexes. */
  trigram: boolean;
  vectorVersion: string;
}>;

/** Any fixed number: the lock all migrating processes of one database meet on. */
const MIGRATION_LOCK = 7_215_340_001;

/**
 * Brings a database to this program's schema. Safe with any number of starters at once: they take turns under a
 * session advisory lock, each migration commits together with its ledger entry, and a crash leaves whole
 * migrations only. Works on a connection of its own, so no setting survives on anyone's pool.
 *
 * Throws `schema_outdated` when ledger and files contradict each other, `config_invalid` when pgvector is
 * missing or too old, `database_unavailable` when the database or the lock cannot be had.
 */
export async function migrate(connectionString: string, options: MigrateOptions): Promise<MigrateResult> {
  const files = await loadMigrationFiles(options.directory ?? MIGRATIONS_DIRECTORY);
  const client = new Client({
    connectionString,
    application_name: 'factmill-migrate',
    connectionTimeoutMillis: 10_000,
    keepAlive: true,
    types: columnTypes,
  });
  // A connection that breaks between two statements is reported by the next one.
  client.on('error', () => undefined);
  const sql = createSql((config) => client.query(config));
  try {
    await client.connect().catch((error: unknown) => {
      throw toDatabaseError(error);
    });
    await lock(sql, options.lockTimeoutMs ?? 120_000);
    return await migrateLocked(client, sql, files, options.logger);
  } finally {
    // Ending the session also releases the lock; said aloud because embedded Postgres has only one session.
    await sql.query('select pg_advisory_unlock($1::bigint)', [MIGRATION_LOCK]).catch(() => undefined);
    await client.end().catch(() => undefined);
  }
}

async function migrateLocked(
  client: Client,
  sql: Sql,
  files: readonly MigrationFile[],
  logger: DatabaseLogger,
): Promise<MigrateResult> {
  const pending = pendingMigrations(files, (await readLedger(sql)) ?? []);
  const vectorVersion = await ensureVector(sql);
  warnAboutVector(logger, vectorVersion);
  const trigram = await ensureTrigram(sql);
  if (!trigram) {
    logger.warn({}, 'the database has no pg_trgm extension: text search works, but without its indexes');
  }
  await createLedger(sql);

  const applied: string[] = [];
  for (const file of pending) {
    if (file.needsTrigram && !trigram) continue;
    const startedAt = performance.now();
    if (await applyMigration(client, sql, file)) applied.push(file.name);
    logger.info({ migration: file.name, durationMs: Math.round(performance.now() - startedAt) }, 'migrated');
  }
  return { applied, trigram, vectorVersion };
}

/** The lock timeout is local to this transaction, the lock it took stays with the session. */
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

/** False when another session applied it meanwhile, which only embedded Postgres (one session for all) allows. */
async function applyMigration(client: Client, sql: Sql, file: MigrationFile): Promise<boolean> {
  try {
    await sql.query('begin');
    await sql.query(`select set_config('statement_timeout', '0', true)`);
    await sql.query('lock table factmill_migrations in share row exclusive mode');
    const ledger = (await readLedger(sql)) ?? [];
    if (ledger.some((entry) => entry.number === file.number)) {
      await sql.query('rollback');
      return false;
    }
    // Several statements at once need the simple protocol, which is what a query without values uses.
    await client.query(file.sql).catch((error: unknown) => {
      throw toDatabaseError(error);
    });
    await insertLedgerEntry(sql, file);
    await sql.query('commit');
    return true;
  } catch (error) {
    await sql.query('rollback').catch(() => undefined);
    const reason = toDatabaseError(error);
    throw new AppError(reason.code, `Migration ${file.name} failed: ${reason.message}`, {
      cause: reason.cause,
    });
  }
}
