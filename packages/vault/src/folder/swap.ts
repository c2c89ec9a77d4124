import { randomUUID } from 'node:crypto';
import {
  link as linkFile,
  lstat,
  mkdir,
  readdir,
  rename as renameFile,
  rm as removeFile,
  unlink as unlinkFile,
  writeFile as writeText,
} from 'node:fs/promises';
import { basename, dirname, join, relative, sep } from 'node:path';
import { CONFLICTS_FOLDER, OWN_FOLDER } from '../layout.ts';
import { codeOf } from './error-code.ts';
import type { Folder } from './open-folder.ts';
import { hashOf, readAt } from './read-file.ts';

/** The operations that change files of people. */
export type FileOperations = Readonly<{
  link: (existing: string, path: string) => Promise<void>;
  rename: (from: string, to: string) => Promise<void>;
  rm: (path: string, options: { recursive?: boolean; force: boolean }) => Promise<void>;
  unlink: (path: string) => Promise<void>;
  writeFile: (path: string, text: string, options?: { flush: boolean }) => Promise<void>;
}>;

const OF_THIS_SYSTEM: FileOperations = {
  link: linkFile,
  rename: renameFile,
  rm: removeFile,
  unlink: unlinkFile,
  writeFile: writeText,
};

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

type Taken = Readonly<{ path: string; absolute: string; expected: string; sinceMs: number }>;

/** Why a replaced file became a conflict. */
const WRITTEN_MEANWHILE =
  'This text was written into the file while Factmill replaced the file with a newer version of the memory.';

/** How files of the vault are written: no edit is ever overwritten, and no half-written file is ever seen. */
export function createSwap(
  folder: Folder,
  clock: () => number,
  { link, rename, rm, unlink, writeFile }: FileOperations = OF_THIS_SYSTEM,
): Swap {
  const taken = new Set<Taken>();
  const own = (name: string) => join(folder.root, OWN_FOLDER, name);

  /** Renames what is at the path into our folder. Its name there says what was expected of it. */
  async function take(path: string, expected: string): Promise<Taken | null> {
    const absolute = join(own('replaced'), `${expected}-${randomUUID()}`, ...path.split('/'));
    await mkdir(dirname(absolute), { recursive: true });
    try {
      await rename(await folder.resolve(path), absolute);
      return { path, absolute, expected, sinceMs: clock() };
    } catch (error) {
      if (codeOf(error) !== 'ENOENT') throw error;
      await discardFolders(absolute);
      return null;
    }
  }

  async function isAsExpected({ absolute, expected }: Taken): Promise<boolean> {
    const observed = await readAt(absolute);
    return observed.kind === 'missing' || ('hash' in observed && observed.hash === expected);
  }

  /** Whether its place was empty. */
  async function linkBack(item: Taken): Promise<boolean> {
    try {
      await folder.makeFolderOf(item.path);
      await link(item.absolute, await folder.resolve(item.path));
      return true;
    } catch (error) {
      if (codeOf(error) !== 'EEXIST') throw error;
      return false;
    }
  }

  /** Back to its place, or aside when that is taken by now. */
  async function putBack(item: Taken, moment: Date): Promise<string | null> {
    taken.delete(item);
    if (!(await linkBack(item))) return keep(item.path, item.absolute, WRITTEN_MEANWHILE, moment);
    await drop(item);
    return null;
  }

  async function drop(item: Taken): Promise<void> {
    taken.delete(item);
    await rm(item.absolute, { force: true });
    await discardFolders(item.absolute);
  }

  /** The folders that `take` made, up to the one with the expected hash in its name. */
  async function discardFolders(absolute: string): Promise<void> {
    const [name = ''] = relative(own('replaced'), absolute).split(sep);
    await rm(join(own('replaced'), name), { recursive: true, force: true });
  }

  async function keep(path: string, absolute: string, note: string, moment: Date): Promise<string> {
    const [user = ''] = path.split('/');
    const stamp = moment.toISOString().replaceAll(/[:.]/g, '-');
    const name = `${stamp}__${randomUUID().slice(0, 8)}__${basename(path).slice(-100)}`;
    const kept = `${user}/${CONFLICTS_FOLDER}/${name}`;
    await folder.makeFolderOf(kept);
    const target = await folder.resolve(kept);
    await writeFile(`${target}.note.txt`, `${note}\nThe file was ${path}.\n`);
    await rename(absolute, target);
    return kept;
  }

  async function place(path: string, text: string): Promise<boolean> {
    const written = join(own('writing'), randomUUID());
    await writeFile(written, text, { flush: true });
    try {
      await folder.makeFolderOf(path);
      await link(written, await folder.resolve(path));
      return true;
    } catch (error) {
      if (codeOf(error) === 'EEXIST') return false;
      throw error;
    } finally {
      await unlink(written);
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
      if (item !== null) taken.add(item);
      return isPlaced ? 'done' : 'changed';
    },
    async remove(path, expected) {
      const item = await take(path, expected);
      if (item === null) return 'done';
      if (!(await isAsExpected(item))) {
        await putBack(item, new Date());
        return 'changed';
      }
      taken.add(item);
      return 'done';
    },
    async setAside(path, note, moment) {
      const absolute = await folder.resolve(path);
      if ((await lstat(absolute).catch(() => null)) === null) return null;
      return keep(path, absolute, note, moment);
    },
    async dropReplaced(now, moment) {
      const kept: string[] = [];
      for (const item of [...taken].filter(({ sinceMs }) => now - sinceMs >= LINGER_MS)) {
        if (await isAsExpected(item)) await drop(item);
        else kept.push((await putBack(item, moment)) ?? item.path);
      }
      return kept;
    },
    async recover(isBeingWritten, moment) {
      await rm(own('writing'), { recursive: true, force: true });
      await mkdir(own('writing'), { recursive: true });
      const kept: string[] = [];
      for (const item of await leftovers(own('replaced'))) {
        if (await isAsExpected(item)) {
          if (isBeingWritten(item.path)) await linkBack(item);
          await drop(item);
        } else kept.push((await putBack(item, moment)) ?? item.path);
      }
      return kept;
    },
  };
}

/** What a process that ended without a goodbye had replaced. */
async function leftovers(folder: string): Promise<Taken[]> {
  const found: Taken[] = [];
  for (const name of await readdir(folder)) {
    const inside = await readdir(join(folder, name), { recursive: true, withFileTypes: true });
    const file = inside.find((entry) => !entry.isDirectory());
    if (file === undefined) {
      await removeFile(join(folder, name), { recursive: true, force: true });
      continue;
    }
    const absolute = join(file.parentPath, file.name);
    const path = relative(join(folder, name), absolute).split(sep).join('/');
    found.push({ path, absolute, expected: name.slice(0, hashOf('').length), sinceMs: 0 });
  }
  return found;
}
