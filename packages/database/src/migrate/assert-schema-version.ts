import { AppError } from '@factmill/errors';
import type { DatabaseLogger } from '../pool/database-logger.ts';
import type { Sql } from '../pool/sql.ts';
import { installedVersion, warnAboutVector } from './extensions.ts';
import { pendingMigrations, readLedger } from './ledger.ts';
import { loadMigrationFiles, MIGRATIONS_DIRECTORY } from './migration-files.ts';

export type SchemaState = Readonly<{ trigram: boolean; vectorVersion: string }>;

export type AssertSchemaOptions = Readonly<{ logger: DatabaseLogger; directory?: string }>;

/**
 * What a service does at start instead of migrating: throws `schema_outdated` when the database does not have
 * this program's schema, `database_unavailable` when it cannot be asked. Trigram migrations are not required.
 */
export async function assertSchemaVersion(sql: Sql, options: AssertSchemaOptions): Promise<SchemaState> {
  const files = await loadMigrationFiles(options.directory ?? MIGRATIONS_DIRECTORY);
  const ledger = await readLedger(sql);
  if (ledger === undefined) {
    throw new AppError(
      'schema_outdated',
      'The database has no Factmill schema yet. Run the migrate command.',
    );
  }
  const missing = pendingMigrations(files, ledger).filter((file) => !file.needsTrigram);
  if (missing.length > 0) {
    const names = missing.map((file) => file.name).join(', ');
    throw new AppError('schema_outdated', `The database lacks ${names}. Run the migrate command.`);
  }
  const vectorVersion = (await installedVersion(sql, 'vector')) ?? '0';
  warnAboutVector(options.logger, vectorVersion);
  return { vectorVersion, trigram: (await installedVersion(sql, 'pg_trgm')) !== undefined };
}
