import { chmodSync, mkdtempSync, readdirSync, rmSync, statfsSync } from 'node:fs';
import { availableMemory } from 'node:process';
import { join } from 'node:path';

/** A file system in memory. */
const IN_MEMORY = '/dev/shm';
/** The files of a run were 0.7 GB at most, all that it used 6.6 GB. */
const MIN_FREE_BYTES = 4 * 1024 ** 3;
const MIN_MEMORY_BYTES = 12 * 1024 ** 3;
const NAME = /^factmill-test-(\d+)-/;

/**
 * Puts the temporary files of this process, and of those that it starts, into a folder of their own in memory, if there
 * is room. The folder goes with the process. Each database of a test is a thousand files that are soon deleted; ext4
 * looks at every deleted one again, for minutes, when it makes a new one.
 */
export function keepTemporaryFilesInMemory() {
  if (!hasRoom()) return;
  removeLeftovers();
  const folder = mkdtempSync(join(IN_MEMORY, `factmill-test-${process.pid}-`));
  // Postgres may run as another user and has to reach its own folder in here.
  chmodSync(folder, 0o711);
  process.env['TMPDIR'] = folder;
  process.on('exit', () => rmSync(folder, { recursive: true, force: true, maxRetries: 5 }));
}

function hasRoom() {
  try {
    const { bavail, bsize } = statfsSync(IN_MEMORY);
    return bavail * bsize >= MIN_FREE_BYTES && availableMemory() >= MIN_MEMORY_BYTES;
  } catch {
    return false;
  }
}

/** Of runs that were killed. */
function removeLeftovers() {
  for (const name of readdirSync(IN_MEMORY)) {
    const pid = NAME.exec(name)?.[1];
    if (pid !== undefined && !isRunning(Number(pid)))
      rmSync(join(IN_MEMORY, name), { recursive: true, force: true });
  }
}

/** @param {number} pid */
function isRunning(pid) {
  try {
    return process.kill(pid, 0);
  } catch (error) {
    return /** @type {NodeJS.ErrnoException} */ (error).code !== 'ESRCH';
  }
}
