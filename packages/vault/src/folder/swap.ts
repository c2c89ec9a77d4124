import { randomUUID } from 'node:crypto';
import { lstat, mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { OWN_FOLDER } from '../layout.ts';
import { codeOf } from './error-code.ts';
import { type FileOperations, FILES_OF_THIS_SYSTEM } from './file-operations.ts';
import type { Folder } from './open-folder.ts';
import { createReplacedFiles, type Taken } from './replaced-files.ts';

/** How long a replaced file is kept, for editors that still write into it. */
const LINGER_MS = 5_000;

/** `changed`: somebody has changed, removed or put a file there meanwhile. It is as they left it. */
type Swapped = 'done' | 'changed';

export type Swap = Readonly<{
  /**
   * Puts a file in place of the one with the hash `expected`, or of none.
   * The file is written whole under another name. What is at the path is taken away by renaming it, which captures
   * whatever is there, and compared; then the new one is linked, which fails where somebody was faster.
   */
  replace: (path: string, text: string, expected: string | null) => Promise<Swapped>;
  /** Removes a file that has this hash. */
  remove: (path: string, expected: string) => Promise<Swapped>;
  /** Moves a file into the folder of conflicts of its user, with a note beside it; resolves to where it is. */
  setAside: (path: string, note: string, moment: Date) => Promise<string | null>;
  /** Removes replaced files that nobody has written into for a while; the others become conflicts. */
  dropReplaced: (now: number, moment: Date) => Promise<string[]>;
  /**
   * Deals with what a killed process left behind: as `dropReplaced`, and at once. A file whose place is still empty
   * goes back when it was about to be replaced.
   */
  recover: (isBeingWritten: (path: string) => boolean, moment: Date) => Promise<string[]>;
}>;

/** How files of the vault are written: no edit is ever overwritten, and no half-written file is ever seen. */
export function createSwap(
  folder: Folder,
  clock: () => number,
  files: FileOperations = FILES_OF_THIS_SYSTEM,
): Swap {
  const replaced = createReplacedFiles(folder, clock, files);
  const { take, isAsExpected, putBack, drop, keep } = replaced;
  const lingering = new Set<Taken>();
  const writing = join(folder.root, OWN_FOLDER, 'writing');

  async function place(path: string, text: string): Promise<boolean> {
    const written = join(writing, randomUUID());
    await files.writeFile(written, text, { flush: true });
    try {
      await folder.makeFolderOf(path);
      await files.link(written, await folder.resolve(path));
      return true;
    } catch (error) {
      if (codeOf(error) === 'EEXIST') return false;
      throw error;
    } finally {
      await files.unlink(written);
    }
  }

  return {
    async replace(path, text, expected) {
      const item = expected === null ? null : await take(path, expected);
      if (expected !== null && item === null) return 'changed';
      if (item !== null && !(await isAsExpected(item))) {
        await putBack(item, new Date());
        return 'changed';
      }
      const isPlaced = await place(path, text);
      if (item !== null) lingering.add(item);
      return isPlaced ? 'done' : 'changed';
    },
    async remove(path, expected) {
      const item = await take(path, expected);
      if (item === null) return 'done';
      if (!(await isAsExpected(item))) {
        await putBack(item, new Date());
        return 'changed';
      }
      lingering.add(item);
      return 'done';
    },
    async setAside(path, note, moment) {
      const absolute = await folder.resolve(path);
      if ((await lstat(absolute).catch(() => null)) === null) return null;
      return keep(path, absolute, note, moment);
    },
    async dropReplaced(now, moment) {
      const kept: string[] = [];
      for (const item of [...lingering].filter(({ sinceMs }) => now - sinceMs >= LINGER_MS)) {
        lingering.delete(item);
        if (await isAsExpected(item)) await drop(item);
        else kept.push((await putBack(item, moment)) ?? item.path);
      }
      return kept;
    },
    async recover(isBeingWritten, moment) {
      await files.rm(writing, { recursive: true, force: true });
      await mkdir(writing, { recursive: true });
      const kept: string[] = [];
      for (const item of await replaced.leftovers()) {
        if (await isAsExpected(item)) {
          if (isBeingWritten(item.path)) await replaced.linkBack(item);
          await drop(item);
        } else kept.push((await putBack(item, moment)) ?? item.path);
      }
      return kept;
    },
  };
}
