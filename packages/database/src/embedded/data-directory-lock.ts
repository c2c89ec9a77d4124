import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { AppError } from '@factmill/errors';

export type DataDirectoryLock = Readonly<{ release(): void }>;

/**
 * Takes the data folder for this process; throws `data_dir_locked` when another instance has it.
 *
 * The lock is the operating system's, taken through an SQLite file: it goes away with its process, however that
 * ends, so there is no stale lock to recognise, no process id that was given to someone else meanwhile, and two
 * containers that share the folder see each other. Node has no file lock of its own.
 */
export function lockDataDirectory(directory: string): DataDirectoryLock {
  const file = new DatabaseSync(join(directory, 'factmill.lock'));
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
