import { existsSync } from 'node:fs';
import { mkdir, rename, rm, stat } from 'node:fs/promises';
import { dirname, join, relative, resolve } from 'node:path';
import { AppError, isAppError } from '@factmill/errors';
import { listFiles, readArchive, unpackArchive, writeArchive } from './archive.ts';
import { lockDataDirectory } from './data-directory-lock.ts';
import { assertSpace, MARKER_FILE, prepareDataDirectory } from './data-directory-use.ts';
import {
  EMBEDDED_POSTGRES_MAJOR,
  holdsDatabase,
  inspectDataDirectory,
  markDataDirectory,
  unfinishedName,
} from './data-directory.ts';
import { syncPath, syncTree } from './sync-tree.ts';

const POSTGRES = 'postgres';
const VERSION_FILE = `${POSTGRES}/PG_VERSION`;

export type EmbeddedBackup = Readonly<{
  /** The data folder. */
  dataDir: string;
  /** The archive: a compressed tar file with the files of Postgres. */
  file: string;
}>;

/**
 * Writes the embedded database of a data folder to one file that only its owner may read. The folder is locked
 * meanwhile, so the files do not change; as after a power cut, they contain everything that was committed. The
 * archive is read back and compared before it gets its name, and is on the disk when this returns. Resolves to its
 * size in bytes.
 *
 * Throws `data_dir_locked` while an instance runs on the folder, `config_invalid` with one sentence when there is no
 * database, when the file exists, and when it cannot be written.
 */
export async function backUpEmbedded({ dataDir, file }: EmbeddedBackup): Promise<number> {
  const directory = resolve(dataDir);
  const target = resolve(file);
  if (!holdsDatabase(directory)) throw refusal('There is nothing to back up: DATA_DIR holds no database.');
  if (!relative(directory, target).startsWith('..'))
    throw refusal('Back up to a file outside of the data folder (DATA_DIR).');
  const lock = lockDataDirectory(directory);
  try {
    if (existsSync(target)) throw refusal('The file for the backup exists already; give another name.');
    await inspectDataDirectory(directory);
    const unfinished = `${target}.unfinished`;
    try {
      await rm(unfinished, { force: true });
      await writeArchive(unfinished, directory, [MARKER_FILE, POSTGRES]);
      assertSame((await readArchive(unfinished)).files, await listFiles(directory, POSTGRES));
      syncPath(unfinished);
      await rename(unfinished, target);
      syncPath(dirname(target));
    } catch (error) {
      await rm(unfinished, { force: true }).catch(() => undefined);
      throw explain(error);
    }
    return (await stat(target)).size;
  } finally {
    lock.release();
  }
}

/**
 * Restores a backup into a data folder without a database. The archive is read to its end first, and the folder
 * counts as a database only when everything is on the disk.
 *
 * Throws `data_dir_locked` while an instance runs on the folder, `config_invalid` with one sentence when the file is
 * not a whole backup or of another Postgres, when the folder holds a database or other files, and when there is no
 * room.
 */
export async function restoreEmbedded({ dataDir, file }: EmbeddedBackup): Promise<void> {
  const directory = resolve(dataDir);
  const source = resolve(file);
  const files = await readBackup(source);
  await prepareDataDirectory(directory);
  const lock = lockDataDirectory(directory);
  try {
    const { postgresDirectory, exists } = await inspectDataDirectory(directory);
    if (exists) {
      throw refusal(
        'The data folder (DATA_DIR) holds a database already, which is not overwritten. Set DATA_DIR to a new folder.',
      );
    }
    await assertSpace(
      directory,
      [...files.values()].reduce((sum, bytes) => sum + bytes, 0),
    );
    const unfinished = join(directory, unfinishedName());
    try {
      await mkdir(unfinished, { mode: 0o700 });
      await unpackArchive(source, unfinished, (path) => path.startsWith(POSTGRES));
      assertSame(files, await listFiles(unfinished, POSTGRES));
      syncTree(unfinished);
      await rename(join(unfinished, POSTGRES), postgresDirectory);
      await markDataDirectory(directory);
    } catch (error) {
      await rm(postgresDirectory, { recursive: true, force: true }).catch(() => undefined);
      throw explain(error);
    } finally {
      await rm(unfinished, { recursive: true, force: true }).catch(() => undefined);
    }
  } finally {
    lock.release();
  }
}

/** The files of Postgres in a backup, with their sizes. */
async function readBackup(file: string): Promise<ReadonlyMap<string, number>> {
  const { files, text } = await readArchive(file, VERSION_FILE).catch((error: unknown) => {
    throw explain(error);
  });
  const ofPostgres = new Map([...files].filter(([path]) => path.startsWith(`${POSTGRES}/`)));
  if (text === undefined || !files.has(MARKER_FILE) || files.size !== ofPostgres.size + 1) throw notABackup();
  const major = Number(text);
  if (major !== EMBEDDED_POSTGRES_MAJOR) {
    throw refusal(
      `The backup was written by Postgres ${major}, this version of Factmill embeds Postgres ${EMBEDDED_POSTGRES_MAJOR}. Restore it with the version of Factmill that wrote it.`,
    );
  }
  return ofPostgres;
}

/** Compares an archive with the files of the database: all of them, with the same sizes. */
function assertSame(archived: ReadonlyMap<string, number>, files: ReadonlyMap<string, number>): void {
  const isSame = [...files].every(([path, bytes]) => archived.get(path) === bytes);
  const count = [...archived.keys()].filter((path) => path.startsWith(`${POSTGRES}/`)).length;
  if (!isSame || count !== files.size) throw new Error('the archive differs from the files');
}

/** Turns a file error into a sentence that an operator can act on. */
function explain(error: unknown): unknown {
  if (isAppError(error)) return error;
  const { code = '' } = error as NodeJS.ErrnoException;
  if (code.startsWith('TAR_') || code.startsWith('Z_')) return notABackup(error);
  const sentence = SENTENCES[code];
  return sentence === undefined ? error : refusal(sentence, error);
}

const SENTENCES: Readonly<Record<string, string>> = {
  ENOENT: 'The file of the backup, or the folder for it, does not exist.',
  ENOTDIR: 'The file of the backup, or the folder for it, does not exist.',
  EISDIR: 'The backup is a file; a folder has this name.',
  EACCES: 'The file of the backup cannot be read or written by this user.',
  EPERM: 'The file of the backup cannot be read or written by this user.',
  EROFS: 'The backup cannot be written: the file system is read-only.',
  ENOSPC: 'The disk is full; make room on it and try again.',
  EDQUOT: 'The disk is full; make room on it and try again.',
};

function notABackup(cause?: unknown): AppError {
  return refusal('The file is not a backup of embedded storage, or it is damaged or cut off.', cause);
}

function refusal(sentence: string, cause?: unknown): AppError {
  return new AppError('config_invalid', sentence, { cause });
}
