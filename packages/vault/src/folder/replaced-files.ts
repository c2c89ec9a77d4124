import { randomUUID } from 'node:crypto';
import { mkdir, readdir, rm as removeFile } from 'node:fs/promises';
import { basename, dirname, join, relative, sep } from 'node:path';
import { CONFLICTS_FOLDER, OWN_FOLDER } from '../layout.ts';
import { codeOf } from './error-code.ts';
import type { FileOperations } from './file-operations.ts';
import type { Folder } from './open-folder.ts';
import { hashOf, readAt } from './read-file.ts';

/** A file that was taken away from its path, where it is now, and the hash that it was expected to have. */
export type Taken = Readonly<{ path: string; absolute: string; expected: string; sinceMs: number }>;

/** Why a replaced file became a conflict. */
const WRITTEN_MEANWHILE =
  'This text was written into the file while Factmill replaced the file with a newer version of the memory.';

/** Files that were taken away from their paths: compared, put back, kept as conflicts, or dropped. */
export function createReplacedFiles(folder: Folder, clock: () => number, files: FileOperations) {
  const { link, rename, rm, writeFile } = files;
  const root = join(folder.root, OWN_FOLDER, 'replaced');

  /** Renames what is at the path into our folder. Its name there says what was expected of it. */
  async function take(path: string, expected: string): Promise<Taken | null> {
    const absolute = join(root, `${expected}-${randomUUID()}`, ...path.split('/'));
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
    if (!(await linkBack(item))) return keep(item.path, item.absolute, WRITTEN_MEANWHILE, moment);
    await drop(item);
    return null;
  }

  async function drop(item: Taken): Promise<void> {
    await rm(item.absolute, { force: true });
    await discardFolders(item.absolute);
  }

  /** The folders that `take` made, up to the one with the expected hash in its name. */
  async function discardFolders(absolute: string): Promise<void> {
    const [name = ''] = relative(root, absolute).split(sep);
    await rm(join(root, name), { recursive: true, force: true });
  }

  /** Moves a file among the conflicts of its user, with a note beside it. */
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

  return {
    take,
    isAsExpected,
    linkBack,
    putBack,
    drop,
    keep,
    /** What a process that ended without a goodbye had taken. */
    leftovers: () => findLeftovers(root),
  };
}

async function findLeftovers(folder: string): Promise<Taken[]> {
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
