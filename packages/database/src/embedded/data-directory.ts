import { randomBytes } from 'node:crypto';
import { existsSync } from 'node:fs';
import { mkdir, open, readdir, readFile, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { AppError } from '@factmill/errors';
import { assertSpace, explainFailedStart, MARKER_FILE } from './data-directory-use.ts';

/** The major version of PGlite's Postgres; it cannot read files of another one. */
export const EMBEDDED_POSTGRES_MAJOR = 18;

/** The folder with the files of Postgres. It gets this name when all of them are there. */
const POSTGRES = 'postgres';
/** Until then. */
const UNFINISHED = /^postgres\.[0-9a-f]{12}$/;

/** A name for the files of a database while they are written. */
export const unfinishedName = () => `${POSTGRES}.${randomBytes(6).toString('hex')}`;

export type DataDirectory = Readonly<{
  /** The folder with the files of Postgres. */
  postgresDirectory: string;
  /** Whether it holds a complete database. */
  exists: boolean;
}>;

/**
 * Inspects a locked data folder. Removes what is left of a database whose creation or restore was interrupted. A
 * database that has lost its marker gets it again: it is never taken for a new one. Throws `config_invalid` when the
 * files belong to another major version of Postgres.
 */
export async function inspectDataDirectory(directory: string): Promise<DataDirectory> {
  const postgresDirectory = join(directory, POSTGRES);
  for (const name of await readdir(directory)) {
    // A creator whose starter was killed may write there for a moment still; then the next start removes it.
    if (UNFINISHED.test(name)) await rm(join(directory, name), { recursive: true }).catch(() => undefined);
  }
  const isMarked = holdsDatabase(directory);
  if (!isMarked && (await isEmpty(postgresDirectory))) {
    await assertSpace(directory);
    await mkdir(postgresDirectory, { mode: 0o700, recursive: true });
    return { postgresDirectory, exists: false };
  }
  const major = Number(await readVersion(directory, postgresDirectory));
  if (major !== EMBEDDED_POSTGRES_MAJOR) {
    throw new AppError(
      'config_invalid',
      `The data folder was written by Postgres ${major}, this version of Factmill embeds Postgres ${EMBEDDED_POSTGRES_MAJOR}. ` +
        'Start the version of Factmill that wrote it, or set DATA_DIR to an empty folder.',
    );
  }
  if (!isMarked) await markDataDirectory(directory);
  return { postgresDirectory, exists: true };
}

async function isEmpty(folder: string): Promise<boolean> {
  const names = await readdir(folder).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return [];
    throw error;
  });
  return names.length === 0;
}

async function readVersion(directory: string, postgresDirectory: string): Promise<string> {
  try {
    return (await readFile(join(postgresDirectory, 'PG_VERSION'), 'utf8')).trim();
  } catch (error) {
    throw await explainFailedStart(directory, postgresDirectory, error);
  }
}

/** Marks the database in the folder as complete. Durable when it returns. */
export async function markDataDirectory(directory: string): Promise<void> {
  const temporary = `${markerPath(directory)}.new`;
  const file = await open(temporary, 'w', 0o600);
  try {
    await file.writeFile(`${JSON.stringify({ postgresMajor: EMBEDDED_POSTGRES_MAJOR })}\n`);
    await file.sync();
  } finally {
    await file.close();
  }
  await rename(temporary, markerPath(directory));
  const folder = await open(directory, 'r');
  try {
    await folder.sync();
  } finally {
    await folder.close();
  }
}

/** Whether the folder holds a complete database. */
export function holdsDatabase(directory: string): boolean {
  return existsSync(markerPath(directory));
}

function markerPath(directory: string): string {
  return join(directory, MARKER_FILE);
}
