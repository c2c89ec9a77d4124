import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { AppError } from '@factmill/errors';

export const LOCK_FILE = 'factmill.lock';

export type DataDirectoryLock = Readonly<{ release(): void }>;

/**
 * Locks the data folder for this process; throws `data_dir_locked` when another instance has it.
 *
 * The lock is the operating system's, taken through an SQLite file. It ends with its process, so a stale lock or a
 * reused process id cannot occur, and two containers that share the folder see each other. Node has no file lock of
 * its own.
 */
export function lockDataDirectory(directory: string): DataDirectoryLock {
  const file = openLockFile(join(directory, LOCK_FILE));
  try {
    file.exec('begin exclusive');
  } catch (error) {
    file.close();
    throw new AppError(
      'data_dir_locked',
      'The data folder is in use by another running instance of Factmill. Stop that one, or set DATA_DIR to another folder.',
      { cause: error },
    );
  }
  return { release: () => file.close() };
}

function openLockFile(path: string): DatabaseSync {
  try {
    return new DatabaseSync(path);
  } catch (error) {
    throw new AppError(
      'config_invalid',
      'The data folder (DATA_DIR) has a factmill.lock that this user cannot open; run Factmill as the user who began it.',
      { cause: error },
    );
  }
}
