import { readdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import type { ReadEntry } from 'tar';

// Loaded on use, because services import this file too and do not need the library.

export type Archive = Readonly<{
  /** The size in bytes of each file, by its path. */
  files: ReadonlyMap<string, number>;
  /** The content of the small file that the caller named. */
  text: string | undefined;
}>;

/** Writes folders and files of a directory to one compressed file that only its owner may read. */
export async function writeArchive(file: string, directory: string, names: readonly string[]): Promise<void> {
  const { create } = await import('tar');
  await create({ file, cwd: directory, gzip: true, strict: true, mode: 0o600 }, [...names]);
}

/** Reads an archive to its end, with its checksums; rejects when it is incomplete. */
export async function readArchive(file: string, textOf?: string): Promise<Archive> {
  const { list } = await import('tar');
  const files = new Map<string, number>();
  const chunks: Buffer[] = [];
  const onReadEntry = (entry: ReadEntry) => {
    if (entry.type === 'Directory') return;
    files.set(entry.path, entry.type === 'File' ? entry.size : Number.NaN);
    if (entry.path === textOf) entry.on('data', (chunk: Buffer) => chunks.push(chunk));
  };
  await list({ file, strict: true, onReadEntry });
  return { files, text: chunks.length === 0 ? undefined : Buffer.concat(chunks).toString('utf8') };
}

/** Unpacks a part of an archive; the files belong to the user of this process. */
export async function unpackArchive(
  file: string,
  directory: string,
  filter: (path: string) => boolean,
): Promise<void> {
  const { extract } = await import('tar');
  await extract({ file, cwd: directory, strict: true, preserveOwner: false, filter });
}

/** The size in bytes of each file below a folder, by its path from the directory, as in an archive. */
export async function listFiles(directory: string, folder: string): Promise<ReadonlyMap<string, number>> {
  const files = new Map<string, number>();
  for (const entry of await readdir(join(directory, folder), { withFileTypes: true })) {
    const path = `${folder}/${entry.name}`;
    if (entry.isDirectory()) {
      for (const [below, bytes] of await listFiles(directory, path)) files.set(below, bytes);
    } else files.set(path, (await stat(join(directory, path))).size);
  }
  return files;
}
