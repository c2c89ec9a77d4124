import { readFile } from 'node:fs/promises';
import { AppError } from '@factmill/errors';
import type { Sql } from '../pool/sql.ts';
import { assertSchemaVersion, type AssertSchemaOptions, type SchemaState } from './assert-schema-version.ts';
import { listMissingPartitions } from './partitions.ts';
import { dumpSchema } from './dump-schema.ts';
import { assertVectorVersion } from './extensions.ts';
import { pendingMigrations } from './pending-migrations.ts';
import { loadSchemaFiles, SCHEMA_DIRECTORY } from './schema-files.ts';
import { readSchemaMigrations } from './schema-migrations.ts';
import { objectsOf } from './schema-objects.ts';

/** The schema after all migrations; at the same relative path from src/migrate and dist/migrate. */
const SCHEMA_FILE = new URL('../../schema.sql', import.meta.url);
/** At most this many missing objects are named. */
const MAX_NAMED = 5;

/**
 * Whether a database has this program's complete schema: every migration and function with its checksum, the
 * extensions, and every column, constraint, index, partition, function and trigger by name. Further objects do not matter.
 * Changes nothing, so a read-only role can run it.
 *
 * Throws `schema_outdated` when an object is missing, `config_invalid` when pgvector is too old,
 * `database_unavailable` when the database cannot be read. The message says what to do.
 */
export async function checkSchema(sql: Sql, options: AssertSchemaOptions): Promise<SchemaState> {
  const state = await assertSchemaVersion(sql, options);
  assertVectorVersion(state.vectorVersion);
  const files = await loadSchemaFiles(options.directory ?? SCHEMA_DIRECTORY);
  const pending = pendingMigrations(files, (await readSchemaMigrations(sql)) ?? []);
  const [waiting] = state.trigram ? pending : [];
  if (waiting !== undefined) {
    throw new AppError('schema_outdated', `The database lacks ${waiting.name}. Run the migrate command.`);
  }

  const actual = objectsOf(await dumpSchema(sql));
  const expected = objectsOf(await readFile(SCHEMA_FILE, 'utf8'));
  const isOptional = (object: string) =>
    pending.some((file) => file.sql.includes(object.split(' ')[1] ?? ''));
  const missing = [...expected].filter((object) => !actual.has(object) && !isOptional(object));
  missing.push(...(await listMissingPartitions(sql)).map((name) => `partition ${name}`));
  if (missing.length > 0) {
    const more = missing.length > MAX_NAMED ? ` and ${missing.length - MAX_NAMED} more` : '';
    throw new AppError(
      'schema_outdated',
      `The database is not whole: it lacks ${missing.slice(0, MAX_NAMED).join(', ')}${more}. ` +
        'If it was restored, restore the backup again, into a new and empty database.',
    );
  }
  return state;
}
