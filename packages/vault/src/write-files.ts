import type { VaultFile, VersionedMemory } from '@factmill/database';
import { isAppError } from '@factmill/errors';
import { isProblem, parseFile, type ParsedFile } from './file-fields.ts';
import { codeOf } from './folder/error-code.ts';
import { hashOf, readVaultFile } from './folder/read-file.ts';
import { pathOfMemory } from './layout.ts';
import { GLOBAL_SCOPE } from '@factmill/contracts';
import { renderFile } from './render-file.ts';
import type { Session } from './session.ts';

export type ToWrite = Readonly<{
  row: VersionedMemory;
  base: VaultFile | null;
  /** Whether there is no file at the path. */
  isVacant: boolean;
}>;

type Prepared = Readonly<{ before: VaultFile; row: VersionedMemory; text: string; expected: string | null }>;

const AT_ONCE = 8;

/**
 * Brings files to what their memories say. What is about to be written is stored first, so that after a kill our own
 * file is known from an edit.
 */
export async function writeFiles(session: Session, items: readonly ToWrite[]): Promise<void> {
  const { agreements } = session;
  const prepared = (await inParallel(items, (item) => prepare(session, item))).filter(
    (item) => item !== null,
  );
  await agreements.save(
    prepared.map(({ before, row, text }) => ({
      ...before,
      writingHash: hashOf(text),
      writingVersion: row.version,
    })),
  );
  await agreements.save(await inParallel(prepared, (item) => write(session, item)));
}

/** Null when the file is not what it was taken for; it is looked at again. */
async function prepare(session: Session, { row, base, isVacant }: ToWrite): Promise<Prepared | null> {
  const before = base ?? toBase(row);
  let current: ParsedFile | null = null;
  let expected: string | null = null;
  if (!isVacant) {
    const observed = await readVaultFile(session.folder, before.path);
    const isOurs =
      observed.kind === 'file' && (observed.hash === before.fileHash || observed.hash === before.writingHash);
    if (!isOurs) {
      lookAgain(session, before);
      return null;
    }
    const parsed = parseFile(observed.text);
    current = isProblem(parsed) ? null : parsed;
    expected = observed.hash;
  }
  return { before, row, text: renderFile(row, current), expected };
}

/** Resolves to what is agreed on afterwards. */
async function write(session: Session, { before, row, text, expected }: Prepared): Promise<VaultFile> {
  const { path } = before;
  const hash = hashOf(text);
  const undone = { ...before, writingHash: null, writingVersion: null };
  const done = { ...undone, fileHash: hash, version: row.version, isStale: false };
  if (hash === expected) return done;
  try {
    const outcome = await session.swap.replace(path, text, expected);
    // An edit of this very moment looks like our own file, so what is there counts as read only after it has rested.
    session.seen.delete(path);
    session.pending.add(path);
    if (outcome === 'changed') {
      session.changed.add(row.id);
      return undone;
    }
    session.counts.written += 1;
    session.report.settled(path);
    return done;
  } catch (error) {
    session.report.problem(path, `it cannot be written: ${reasonOf(error)}`);
    session.pending.drop(path);
    return { ...before, writingHash: hash, writingVersion: row.version };
  }
}

function lookAgain(session: Session, { path, memoryId }: VaultFile): void {
  session.seen.delete(path);
  session.pending.add(path);
  session.changed.add(memoryId);
}

/** Errors that concern one path; everything else ends the round. */
const OF_ONE_PATH = new Set(['EACCES', 'EPERM', 'ENAMETOOLONG', 'ELOOP', 'ENOTDIR', 'EISDIR', 'EXDEV']);

/** Why one path could not be worked on. @throws the error when it is about more than this path */
export function reasonOf(error: unknown): string {
  if (isAppError(error) && error.code === 'vault_path_refused') return error.message;
  const code = codeOf(error);
  if (code !== undefined && OF_ONE_PATH.has(code)) return code;
  throw error;
}

function toBase(row: VersionedMemory): VaultFile {
  const scope = row.conversationId === '' ? GLOBAL_SCOPE : row.conversationId;
  return {
    memoryId: row.id,
    userId: row.userId,
    path: pathOfMemory({ ...row, scope }),
    fileHash: null,
    version: 0,
    isStale: false,
    writingHash: null,
    writingVersion: null,
  };
}

/** Results in the order of the items. */
export async function inParallel<T, R>(items: readonly T[], work: (item: T) => Promise<R>): Promise<R[]> {
  const results: R[] = [];
  for (let start = 0; start < items.length; start += AT_ONCE) {
    results.push(...(await Promise.all(items.slice(start, start + AT_ONCE).map(work))));
  }
  return results;
}
