import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import {
  type AppliedMigration,
  loadMigrationFiles,
  type MigrationFile,
  parseMigrationName,
} from './migration-files.ts';

/** The migrations before the baseline, for databases that began with them. */
export type EarlierMigrations = Readonly<{
  /** All of them, with the checksum each was applied with. */
  known: readonly AppliedMigration[];
  /** Steps that a database may still lack. After them it equals the baseline. */
  steps: readonly MigrationFile[];
}>;

/** Reads `checksums.txt` (as sha256sum writes it) and the steps beside it; empty without such a folder. */
export async function loadEarlierMigrations(directory: string): Promise<EarlierMigrations> {
  if (!existsSync(directory)) return { known: [], steps: [] };
  const lines = (await readFile(join(directory, 'checksums.txt'), 'utf8')).trim().split('\n');
  const known = lines.map((line) => {
    const [checksum = '', name = ''] = line.split(/\s+/);
    return { number: parseMigrationName(name).number, name, checksum };
  });
  return { known, steps: await loadMigrationFiles(directory) };
}
