import { createHash } from 'node:crypto';
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { AppError } from '@factmill/errors';

export type MigrationFile = Readonly<{
  number: number;
  /** The file's name, which is also its name in the ledger: `0001_foundation.sql`. */
  name: string;
  sql: string;
  /** SHA-256 of the text, with line ends as `\n` so that a checkout's setting does not change it. */
  checksum: string;
  /** Needs pg_trgm: applied when that is there, possibly out of order, and never required. */
  needsTrigram: boolean;
}>;

/** The migrations of this package; the same place from src/migrate and from dist/migrate. */
export const MIGRATIONS_DIRECTORY = fileURLToPath(new URL('../../migrations/', import.meta.url));

const FILE_NAME = /^(\d{4})_[a-z0-9_]+(\.trigram)?\.sql$/;

/** Reads the migrations of a directory in order. A bad name or a number used twice is a bug. */
export async function loadMigrationFiles(directory: string): Promise<MigrationFile[]> {
  const names = (await readdir(directory)).filter((name) => name.endsWith('.sql')).toSorted();
  const files = await Promise.all(
    names.map(async (name) => parseMigrationFile(name, await readFile(join(directory, name), 'utf8'))),
  );
  files.forEach((file, index) => {
    if (file.number !== index + 1) {
      throw new AppError('internal', `Migration ${file.name} should have number ${index + 1}.`);
    }
  });
  return files;
}

/** One migration from its file name and text. */
export function parseMigrationFile(name: string, text: string): MigrationFile {
  const match = FILE_NAME.exec(name);
  if (match === null) {
    throw new AppError('internal', `Migration ${name} is not named NNNN_name.sql or NNNN_name.trigram.sql.`);
  }
  const sql = text.replaceAll('\r\n', '\n');
  return {
    number: Number(match[1]),
    name,
    sql,
    checksum: createHash('sha256').update(sql).digest('hex'),
    needsTrigram: match[2] !== undefined,
  };
}
