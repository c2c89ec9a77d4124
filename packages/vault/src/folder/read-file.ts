import { isAppError } from '@factmill/errors';
import { createHash } from 'node:crypto';
import type { BigIntStats } from 'node:fs';
import { constants } from 'node:fs';
import { type FileHandle, lstat, open } from 'node:fs/promises';
import { codeOf } from './error-code.ts';
import type { Folder } from './open-folder.ts';

/** Larger than any memory: 8,000 characters four times, 64 KB of metadata, and what YAML adds. */
const MAX_FILE_BYTES = 512 * 1024;

/** Changes whenever a file is written or replaced. */
export type Signature = string;

export type Observed =
  | Readonly<{ kind: 'missing' }>
  /** It was written while it was read. */
  | Readonly<{ kind: 'unsettled' }>
  /** What no memory is read from; `problem` is a sentence for people. */
  | Readonly<{ kind: 'refused'; problem: string; signature: Signature; hash: string }>
  | Readonly<{ kind: 'file'; signature: Signature; hash: string; text: string }>;

export function signatureOf(stats: BigIntStats): Signature {
  return [stats.ino, stats.size, stats.mtimeNs, stats.ctimeNs].join(':');
}

export function hashOf(bytes: string | Buffer): string {
  return createHash('sha256').update(bytes).digest('hex');
}

const MISSING = new Set(['ENOENT', 'ENOTDIR']);
/** There may be a file, but not one that this process may read. */
const UNREADABLE = new Set(['EACCES', 'EPERM', 'ELOOP', 'ENAMETOOLONG']);

/** The signature of a path that is not followed: the file may be there, behind a link. */
const REFUSED: Signature = 'refused';

/** The signature of what is at a path, without reading it; null when there is nothing. */
export async function signatureAt(folder: Folder, path: string): Promise<Signature | null> {
  try {
    return signatureOf(await lstat(await folder.resolve(path), { bigint: true }));
  } catch (error) {
    if (MISSING.has(codeOf(error) ?? '')) return null;
    if (isAppError(error) || UNREADABLE.has(codeOf(error) ?? '')) return REFUSED;
    throw error;
  }
}

/** Reads a file of the vault, without following links. */
export async function readVaultFile(folder: Folder, path: string): Promise<Observed> {
  try {
    return await readAt(await folder.resolve(path));
  } catch (error) {
    const code = codeOf(error) ?? '';
    if (MISSING.has(code)) return { kind: 'missing' };
    const refusal = isAppError(error)
      ? error.message
      : UNREADABLE.has(code)
        ? `it cannot be read: ${code}`
        : null;
    if (refusal === null) throw error;
    return { kind: 'refused', problem: refusal, signature: REFUSED, hash: REFUSED };
  }
}

/** Reads a file at an absolute path, without following a link there. */
export async function readAt(absolute: string): Promise<Observed> {
  let handle: FileHandle;
  try {
    handle = await open(absolute, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
  } catch (error) {
    const code = codeOf(error) ?? '';
    if (MISSING.has(code)) return { kind: 'missing' };
    if (code === 'ELOOP') return refused(absolute, 'it is a link, and links are not followed');
    if (code === 'ENXIO') return refused(absolute, 'it is not a file');
    if (UNREADABLE.has(code)) return refused(absolute, `it cannot be read: ${code}`);
    throw error;
  }
  try {
    const before = await handle.stat({ bigint: true });
    const signature = signatureOf(before);
    const refuse = (problem: string): Observed => ({ kind: 'refused', problem, signature, hash: signature });
    if (!before.isFile()) return refuse('it is not a file');
    if (before.size > MAX_FILE_BYTES) return refuse(`it is larger than ${MAX_FILE_BYTES / 1_024} KB`);
    const bytes = await handle.readFile();
    if (signatureOf(await handle.stat({ bigint: true })) !== signature) return { kind: 'unsettled' };
    const hash = hashOf(bytes);
    const text = decodeUtf8(bytes);
    if (text === null) return { kind: 'refused', problem: 'it is not UTF-8 text', signature, hash };
    return { kind: 'file', signature, hash, text };
  } finally {
    await handle.close();
  }
}

function decodeUtf8(bytes: Buffer): string | null {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    return null;
  }
}

async function refused(absolute: string, problem: string): Promise<Observed> {
  const signature = signatureOf(await lstat(absolute, { bigint: true }));
  return { kind: 'refused', problem, signature, hash: signature };
}
