import type { Sql } from '../pool/sql.ts';
import type { AppliedMigration, MigrationFile } from './migration-files.ts';

/** Creates the table of applied migrations. */
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

/** The applied migrations in order; undefined when none ever ran on this database. */
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
