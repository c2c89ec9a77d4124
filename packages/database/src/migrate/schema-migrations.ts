import { AppError } from '@factmill/errors';
import type { Sql } from '../pool/sql.ts';
import type { MigrationFile } from './migration-files.ts';

/** A migration that was applied, as the table `factmill_migrations` records it. */
export type AppliedMigration = Readonly<{ number: number; name: string; checksum: string }>;

/** Creates the table that records what was applied. */
export async function createSchemaMigrations(sql: Sql): Promise<void> {
  await sql.query(`
    create table if not exists factmill_migrations (
      number     integer     not null,
      name       text        not null,
      checksum   text        not null,
      applied_at timestamptz not null default now(),
      constraint factmill_migrations_pk primary key (number)
    )`);
}

/** What was applied, in order; undefined when no migration ever ran on this database. */
export async function readSchemaMigrations(sql: Sql): Promise<AppliedMigration[] | undefined> {
  const { present } = await sql.one<{ present: boolean }>(
    `select to_regclass('factmill_migrations') is not null as present`,
  );
  if (!present) return undefined;
  const { rows } = await sql.query<AppliedMigration>(
    'select number, name, checksum from factmill_migrations order by number',
  );
  return rows;
}

/** Records a migration. */
export async function recordMigration(sql: Sql, file: MigrationFile): Promise<void> {
  await sql.query(
    'insert into factmill_migrations (number, name, checksum) values ($1::integer, $2::text, $3::text)',
    [file.number, file.name, file.checksum],
  );
}

/**
 * What is still to be applied, in order. Throws `schema_outdated` when the table and the files contradict each
 * other: the database is newer than this program, or a file that was applied has changed.
 */
export function pendingMigrations(
  files: readonly MigrationFile[],
  applied: readonly AppliedMigration[],
): MigrationFile[] {
  const byNumber = new Map(files.map((file) => [file.number, file]));
  for (const entry of applied) {
    const file = byNumber.get(entry.number);
    if (file === undefined) {
      throw new AppError(
        'schema_outdated',
        `The database is newer than this program (it has migration ${entry.name}). Run the newer version of Factmill.`,
      );
    }
    if (file.name !== entry.name || file.checksum !== entry.checksum) {
      throw new AppError(
        'schema_outdated',
        `Migration ${entry.name} was applied to this database with another content than ${file.name} has now. ` +
          'Restore the file as it was applied and put the change into a new migration.',
      );
    }
  }
  const numbers = new Set(applied.map((entry) => entry.number));
  return files.filter((file) => !numbers.has(file.number));
}
