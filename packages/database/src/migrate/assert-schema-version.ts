import { AppError } from '@factmill/errors';
import type { DatabaseLogger } from '../pool/database-logger.ts';
import type { Sql } from '../pool/sql.ts';
import { installedVersion, warnAboutVector } from './extensions.ts';
import { pendingMigrations } from './pending-migrations.ts';
import { loadSchemaFiles, SCHEMA_DIRECTORY } from './schema-files.ts';
import { compareFunctions, readSchemaFunctions } from './schema-functions.ts';
import { readSchemaMigrations } from './schema-migrations.ts';

/** At most this many outdated functions are named. */
const MAX_NAMED = 5;

export type SchemaState = Readonly<{ trigram: boolean; vectorVersion: string }>;

export type AssertSchemaOptions = Readonly<{ logger: DatabaseLogger; directory?: string }>;

/**
 * Checks the schema at a service's start: throws `schema_outdated` when the database does not have this program's
 * schema, `database_unavailable` when it cannot be read. Trigram migrations are not required. Functions of a newer
 * program are accepted.
 */
export async function assertSchemaVersion(sql: Sql, options: AssertSchemaOptions): Promise<SchemaState> {
  const files = await loadSchemaFiles(options.directory ?? SCHEMA_DIRECTORY);
  const applied = await readSchemaMigrations(sql);
  if (applied === undefined) {
    throw new AppError(
      'schema_outdated',
      'The database has no Factmill schema yet. Run the migrate command.',
    );
  }
  const missing = pendingMigrations(files, applied).filter((file) => !file.needsTrigram);
  if (missing.length > 0) {
    const names = missing.map((file) => file.name).join(', ');
    throw new AppError('schema_outdated', `The database lacks ${names}. Run the migrate command.`);
  }
  const { outdated } = compareFunctions(files.functions, await readSchemaFunctions(sql));
  if (outdated.length > 0) {
    const names = outdated.map(({ name }) => name);
    const more = names.length > MAX_NAMED ? ` and ${names.length - MAX_NAMED} more` : '';
    throw new AppError(
      'schema_outdated',
      `Functions in the database are out of date: ${names.slice(0, MAX_NAMED).join(', ')}${more}. ` +
        'Run the migrate command.',
    );
  }
  const vectorVersion = (await installedVersion(sql, 'vector')) ?? '0';
  warnAboutVector(options.logger, vectorVersion);
  return { vectorVersion, trigram: (await installedVersion(sql, 'pg_trgm')) !== undefined };
}
