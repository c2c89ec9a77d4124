import { AppError } from '@factmill/errors';
import { constants } from 'node:fs';
import { link, lstat, mkdir, open, readFile, rm, unlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { z } from 'zod';
import { OWN_FOLDER } from '../layout.ts';
import { pathProblem } from '../names.ts';
import { codeOf } from './error-code.ts';

/** Names the vault, so that another folder at the same place (a volume that is not mounted) is not taken for it. */
const MARKER = `${OWN_FOLDER}/vault.json`;
const markerSchema = z.object({ format: z.literal('factmill.vault'), version: z.literal(1), id: z.uuid() });

export type Folder = Readonly<{
  /** Absolute. */
  root: string;
  vaultId: string;
  /** @throws AppError `vault_unavailable` when the vault is not at its place any more */
  assertPresent: () => Promise<void>;
  /** The absolute path, after every folder on the way was found to be a real one. */
  resolve: (path: string) => Promise<string>;
  /** Makes the folder of a path, without following links. */
  makeFolderOf: (path: string) => Promise<void>;
}>;

/**
 * Opens a vault, or makes a new one of the folder.
 *
 * @throws AppError `vault_unavailable` when the folder cannot be used, with the reason
 */
export async function openFolder(root: string, newId: () => string): Promise<Folder> {
  await mkdir(root, { recursive: true }).catch(unusable);
  await assertRealFolder(root);
  await mkdir(join(root, OWN_FOLDER, 'writing'), { recursive: true }).catch(unusable);
  await mkdir(join(root, OWN_FOLDER, 'replaced'), { recursive: true }).catch(unusable);
  await assertRealFolder(join(root, OWN_FOLDER));
  await probeLinks(root, newId()).catch(unusable);
  const vaultId = (await readMarker(root)) ?? (await writeMarker(root, newId()));
  async function resolve(path: string): Promise<string> {
    assertPath(path);
    const segments = path.split('/').slice(0, -1);
    for (let depth = 1; depth <= segments.length; depth += 1) {
      await assertRealFolder(join(root, ...segments.slice(0, depth)));
    }
    return join(root, ...path.split('/'));
  }
  return {
    root,
    vaultId,
    async assertPresent() {
      if ((await readMarker(root).catch(() => null)) !== vaultId) {
        throw new AppError(
          'vault_unavailable',
          `VAULT_DIR does not hold its vault any more: ${MARKER} is missing or another one. Nothing is deleted; the vault is followed again when it is back.`,
        );
      }
    },
    resolve,
    async makeFolderOf(path) {
      const isThere = await resolve(path).then(
        () => true,
        (error: unknown) => {
          if (codeOf(error) !== 'ENOENT') throw error;
          return false;
        },
      );
      if (isThere) return;
      const segments = path.split('/').slice(0, -1);
      for (let depth = 1; depth <= segments.length; depth += 1) {
        const folder = join(root, ...segments.slice(0, depth));
        await mkdir(folder).catch((error: unknown) => {
          if (codeOf(error) !== 'EEXIST') throw error;
        });
        await assertRealFolder(folder);
      }
    },
  };
}

/** @throws AppError `vault_path_refused` */
function assertPath(path: string): void {
  const problem = pathProblem(path);
  if (problem !== null) throw new AppError('vault_path_refused', `A path was refused: ${problem}.`);
}

async function assertRealFolder(path: string): Promise<void> {
  const stats = await lstat(path);
  if (!stats.isDirectory()) {
    throw new AppError(
      'vault_path_refused',
      'A path was refused: a link or file stands where a folder belongs.',
    );
  }
}

async function readMarker(root: string): Promise<string | null> {
  const file = await open(join(root, MARKER), constants.O_RDONLY | constants.O_NOFOLLOW).catch(
    (error: unknown) => {
      if (codeOf(error) === 'ENOENT') return null;
      throw unusable(error);
    },
  );
  if (file === null) return null;
  try {
    const parsed = markerSchema.safeParse(JSON.parse(await readFile(file, 'utf8')));
    if (parsed.success) return parsed.data.id;
  } catch {
    // What is not JSON is no marker either.
  } finally {
    await file.close();
  }
  throw new AppError(
    'vault_unavailable',
    `${MARKER} in VAULT_DIR is not one of this version of Factmill. Put it back, or remove it to begin a new vault.`,
  );
}

/** Two that begin the same vault end with one marker: a link is made only where there is nothing. */
async function writeMarker(root: string, id: string): Promise<string> {
  const written = join(root, OWN_FOLDER, 'writing', id);
  await writeFile(written, `${JSON.stringify({ format: 'factmill.vault', version: 1, id })}\n`, {
    flush: true,
  });
  await link(written, join(root, MARKER)).catch((error: unknown) => {
    if (codeOf(error) !== 'EEXIST') throw unusable(error);
  });
  await unlink(written);
  return (await readMarker(root)) ?? id;
}

/** Files are put in place by a link, which never replaces what somebody else has written. */
async function probeLinks(root: string, name: string): Promise<void> {
  const first = join(root, OWN_FOLDER, 'writing', `${name}-probe`);
  await writeFile(first, '');
  try {
    await link(first, `${first}-link`);
  } finally {
    await rm(first, { force: true });
    await rm(`${first}-link`, { force: true });
  }
}

function unusable(error: unknown): never {
  throw new AppError(
    'vault_unavailable',
    `VAULT_DIR cannot be used (${codeOf(error) ?? 'unknown error'}): it has to be a folder that can be written to, on a file system with hard links.`,
    { cause: error },
  );
}
