import type { Dirent } from 'node:fs';
import { lstat, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { ENTRIES_FOLDER } from '../layout.ts';
import { codeOf } from './error-code.ts';
import { type Signature, signatureOf } from './read-file.ts';

export type Walked = Readonly<{
  /** Path → signature of every file that could hold a memory. */
  files: ReadonlyMap<string, Signature>;
  /** False when there are too many files or a folder could not be read. A file that is not listed may still exist then. */
  isComplete: boolean;
}>;

const MAX_DEPTH = 16;
/** Stats at once: enough to keep a disk busy, few enough to leave its queue to others. */
const AT_ONCE = 16;

/** Whether memories are read from files of this name: Markdown, and not what editors write beside it. */
function isMemoryFile(name: string): boolean {
  return /^[^.~#].*\.md$/i.test(name);
}

/** Whether memories are read from this path: `<user>/entries/…/<name>.md`. */
export function isMemoryPath(path: string): boolean {
  const [user = '', entries, ...rest] = path.split('/');
  const name = rest.pop();
  return (
    name !== undefined &&
    entries === ENTRIES_FOLDER &&
    isMemoryFile(name) &&
    [user, ...rest].every((segment) => segment !== '' && !segment.startsWith('.'))
  );
}

/** Whether a path could be a folder with memories: a user's, `entries`, or one below it. */
export function mayHoldMemories(path: string): boolean {
  const [user = '', entries = ENTRIES_FOLDER, ...rest] = path.split('/');
  const isHidden = [user, ...rest].some((segment) => /^[.~#]|~$/.test(segment));
  return (
    !isHidden && entries === ENTRIES_FOLDER && user !== '' && !(rest.length === 0 && user.endsWith('.md'))
  );
}

/** All files of the vault with their signatures, without reading them and without following links. */
export async function walkVault(root: string, maxFiles: number, signal: AbortSignal): Promise<Walked> {
  const files = new Map<string, Signature>();
  let isComplete = true;
  const users = await readFolder(root);
  const folders = (users ?? [])
    .filter((entry) => entry.isDirectory() && !entry.name.startsWith('.'))
    .map((entry) => `${entry.name}/${ENTRIES_FOLDER}`);
  if (users === null) isComplete = false;
  for (let folder = folders.pop(); folder !== undefined; folder = folders.pop()) {
    signal.throwIfAborted();
    const entries = await readFolder(join(root, folder));
    if (entries === null) {
      isComplete = false;
      continue;
    }
    const found: string[] = [];
    for (const entry of entries) {
      const path = `${folder}/${entry.name}`;
      if (entry.isDirectory()) {
        if (entry.name.startsWith('.')) continue;
        if (path.split('/').length < MAX_DEPTH) folders.push(path);
        else isComplete = false;
      } else if (isMemoryFile(entry.name)) found.push(path);
    }
    if (files.size + found.length > maxFiles) isComplete = false;
    await addSignatures(root, found.slice(0, maxFiles - files.size), files, signal);
  }
  return { files, isComplete };
}

/** Null when it cannot be read; empty when there is none. */
async function readFolder(path: string): Promise<Dirent[] | null> {
  try {
    if (!(await lstat(path)).isDirectory()) return [];
    return await readdir(path, { withFileTypes: true });
  } catch (error) {
    return codeOf(error) === 'ENOENT' ? [] : null;
  }
}

async function addSignatures(
  root: string,
  paths: readonly string[],
  files: Map<string, Signature>,
  signal: AbortSignal,
): Promise<void> {
  for (let start = 0; start < paths.length; start += AT_ONCE) {
    signal.throwIfAborted();
    await Promise.all(
      paths.slice(start, start + AT_ONCE).map(async (path) => {
        try {
          files.set(path, signatureOf(await lstat(join(root, path), { bigint: true })));
        } catch (error) {
          if (codeOf(error) !== 'ENOENT') throw error;
        }
      }),
    );
  }
}
