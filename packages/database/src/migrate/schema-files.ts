import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { type FunctionFiles, loadFunctionFiles } from './function-files.ts';
import { loadMigrationFiles, type MigrationFile } from './migration-files.ts';
import { type EarlierMigrations, loadEarlierMigrations } from './earlier-migrations.ts';

/** The files that define a program's schema. */
export type SchemaFiles = Readonly<{
  /** In order. A new database begins with the first, the baseline. */
  migrations: readonly MigrationFile[];
  /** Those before the baseline. */
  earlier: EarlierMigrations;
  functions: FunctionFiles;
}>;

/**
 * The folder of this package with `migrations`, `functions` and `triggers`; the same from src/migrate and
 * dist/migrate.
 */
export const SCHEMA_DIRECTORY = fileURLToPath(new URL('../../', import.meta.url));

/** Reads the migrations, functions and triggers in the folders of `directory`. */
export async function loadSchemaFiles(directory: string): Promise<SchemaFiles> {
  return {
    migrations: await loadMigrationFiles(join(directory, 'migrations')),
    earlier: await loadEarlierMigrations(join(directory, 'migrations/takeover')),
    functions: await loadFunctionFiles(directory),
  };
}
