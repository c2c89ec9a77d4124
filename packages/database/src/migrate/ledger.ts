import { AppError } from '@factmill/errors';
import type { Sql } from '../pool/sql.ts';
import type { MigrationFile } from './migration-files.ts';

export type LedgerEntry = Readonly<{ number: number; name: string; checksum: string }>;

/** Creates the table that records what was applied. */
export async function createLedger(sql: Sql): Promise<void> {
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
export async function readLedger(sql: Sql): Promise<LedgerEntry[] | undefined> {
  const { present } = await sql.one<{ present: boolean }>(
    `select to_regclass('factmill_migrations') is not null as present`,
  );
  if (!present) return undefined;
  const { rows } = await sql.query<LedgerEntry>(
    'select number, name, checksum from factmill_migrations order by number',
  );
  return rows;
}

/** Records a migration. */
export async function insertLedgerEntry(sql: Sql, file: MigrationFile): Promise<void> {
  await sql.query(
    'insert into factmill_migrations (number, name, checksum) values ($1::integer, $2::text, $3::text)',
    [file.number, file.name, file.checksum],
  );
}

/**
 * What is still to be applied, in order. Throws `schema_outdated` when the ledger and the files contradict each
 * other: the database is newer than this program, or a file that was applied has changed.
 */
export function pendingMigrations(
  files: readonly MigrationFile[],
  ledger: readonly LedgerEntry[],
): MigrationFile[] {
  const byNumber = new Map(files.map((file) => [file.number, file]));
  for (const entry of ledger) {
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
  const applied = new Set(ledger.map((entry) => entry.number));
  return files.filter((file) => !applied.has(file.number));
}
