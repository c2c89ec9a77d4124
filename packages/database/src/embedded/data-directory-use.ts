import { mkdir, open, readdir, rm, stat, statfs } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { AppError, isAppError } from '@factmill/errors';
import { LOCK_FILE } from './data-directory-lock.ts';

/** Marks a database that was created completely. */
export const MARKER_FILE = 'factmill.json';

/** A new database (43 MB measured), its log, and room for some memories. */
const NEW_DATABASE_BYTES = 100 * 1024 * 1024;
/** Below this Postgres cannot add a segment of its log. */
const MIN_FREE_BYTES = 16 * 1024 * 1024;

/**
 * Creates the data folder if it is missing (only its owner may enter it), and checks that it is writable and holds no
 * other program's files.
 *
 * @throws AppError `config_invalid` with one sentence for each of these
 */
export async function prepareDataDirectory(directory: string): Promise<void> {
  await createDirectory(directory);
  await assertWritable(directory);
  const names = await readdir(directory);
  const isOurs = names.includes(MARKER_FILE) || names.includes(LOCK_FILE);
  // Hidden files belong to a repository or a disk; lost+found is in the root of one.
  const foreign = names.filter((name) => !name.startsWith('.') && name !== 'lost+found');
  if (!isOurs && foreign.length > 0) {
    throw unusable('has files in it that are not Factmill’s; set DATA_DIR to an empty folder');
  }
}

/** @throws AppError `config_invalid` when the disk has no room for a new database, or for one of this size */
export async function assertSpace(directory: string, databaseBytes = NEW_DATABASE_BYTES): Promise<void> {
  if ((await freeBytes(directory)) >= databaseBytes) return;
  const megabytes = Math.ceil(databaseBytes / 1024 / 1024);
  throw unusable(`is on a disk with less than ${megabytes} MB left; make room there`);
}

/** Why an embedded database did not start, judged by its folder: no room, no permission, else damage. */
export async function explainFailedStart(
  directory: string,
  postgresDirectory: string,
  cause: unknown,
): Promise<AppError> {
  if ((await freeBytes(directory)) < MIN_FREE_BYTES) return unusable('is on a disk that is full', cause);
  try {
    await assertWritable(postgresDirectory);
  } catch (error) {
    if (isAppError(error)) return error;
  }
  return new AppError(
    'database_unavailable',
    'The embedded database cannot be started on this data folder (DATA_DIR); its files may be damaged.',
    { cause },
  );
}

/**
 * `mkdir -p`, one folder at a time: Node's own never ends on a file system that reports a missing parent, as /proc
 * does.
 */
async function createDirectory(directory: string): Promise<void> {
  const found = await stat(directory).catch((error: NodeJS.ErrnoException) => {
    if (error.code !== 'ENOENT' || dirname(directory) === directory) throw explain(error);
    return null;
  });
  if (found?.isDirectory() === false) throw unusable('is a file, or below one; set DATA_DIR to a folder');
  if (found !== null) return;
  await createDirectory(dirname(directory));
  await mkdir(directory, { mode: 0o700 }).catch((error: NodeJS.ErrnoException) => {
    if (error.code !== 'EEXIST') throw explain(error, 'cannot be created');
  });
}

async function assertWritable(directory: string): Promise<void> {
  const probe = join(directory, `.factmill-probe-${process.pid}`);
  try {
    const file = await open(probe, 'w', 0o600);
    await file.close();
    await rm(probe, { force: true });
  } catch (error) {
    throw explain(error as NodeJS.ErrnoException);
  }
}

function explain(error: NodeJS.ErrnoException, otherwise = 'cannot be used'): AppError {
  switch (error.code) {
    case 'EACCES':
    case 'EPERM':
      return unusable('cannot be written to by this user; change its permissions or set DATA_DIR', error);
    case 'EROFS':
      return unusable('is on a file system that is read-only; set DATA_DIR to another one', error);
    case 'ENOSPC':
    case 'EDQUOT':
      return unusable('is on a disk that is full', error);
    case 'ENOTDIR':
      return unusable('is a file, or below one; set DATA_DIR to a folder', error);
    default:
      return unusable(`${otherwise} (${error.code ?? error.name}); set DATA_DIR to another folder`, error);
  }
}

async function freeBytes(directory: string): Promise<number> {
  const { bavail, bsize } = await statfs(directory);
  return bavail * bsize;
}

function unusable(why: string, cause?: unknown): AppError {
  return new AppError('config_invalid', `The data folder (DATA_DIR) ${why}.`, { cause });
}
