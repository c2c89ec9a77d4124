import { createHash } from 'node:crypto';
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { AppError } from '@factmill/errors';

export type MigrationFile = Readonly<{
  number: number;
  /** The file's name, also recorded in `factmill_migrations`: `0026_baseline.sql`. */
  name: string;
  sql: string;
  checksum: string;
  /** Needs pg_trgm: applied when that is installed, possibly out of order, and never required. */
  needsTrigram: boolean;
}>;

/** An applied migration, as recorded in the table `factmill_migrations`. */
export type AppliedMigration = Readonly<{ number: number; name: string; checksum: string }>;

const FILE_NAME = /^(\d{4})_[a-z0-9_]+(\.trigram)?\.sql$/;

/** Reads the migrations of a directory in order. A bad name, a gap or a number used twice is a bug. */
export async function loadMigrationFiles(directory: string): Promise<MigrationFile[]> {
  const names = (await readdir(directory)).filter((name) => name.endsWith('.sql')).toSorted();
  const files = await Promise.all(
    names.map(async (name) => parseMigrationFile(name, await readFile(join(directory, name), 'utf8'))),
  );
  const first = files[0]?.number ?? 0;
  files.forEach((file, index) => {
    if (file.number !== first + index) {
      throw new AppError('internal', `Migration ${file.name} should have number ${first + index}.`);
    }
  });
  return files;
}

/** One migration from its file name and text. */
export function parseMigrationFile(name: string, text: string): MigrationFile {
  const sql = withUnixLineEnds(text);
  return { ...parseMigrationName(name), name, sql, checksum: checksumOf(sql) };
}

/** Parses the name of a migration. Any other name is a bug. */
export function parseMigrationName(name: string): Pick<MigrationFile, 'number' | 'needsTrigram'> {
  const match = FILE_NAME.exec(name);
  if (match === null) {
    throw new AppError('internal', `Migration ${name} is not named NNNN_name.sql or NNNN_name.trigram.sql.`);
  }
  return { number: Number(match[1]), needsTrigram: match[2] !== undefined };
}

/** Line ends as `\n`, so that a checkout's setting does not change a checksum. */
export function withUnixLineEnds(text: string): string {
  return text.replaceAll('\r\n', '\n');
}

/** SHA-256 of a file's text. */
export function checksumOf(sql: string): string {
  return createHash('sha256').update(sql).digest('hex');
}
