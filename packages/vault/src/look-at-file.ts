import type { VaultFile } from '@factmill/database';
import { isProblem, parseFile } from './file-fields.ts';
import { type Observed, readVaultFile, signatureAt } from './folder/read-file.ts';
import type { Seen, Session } from './session.ts';
import { takeNew } from './take-new.ts';
import { reasonOf } from './write-files.ts';

/** Reads a file that has rested. Resolves to what was agreed on about it; null when there is nothing more to do. */
export async function lookAtFile(session: Session, path: string): Promise<VaultFile | null> {
  const { agreements, pending, report, seen } = session;
  const base = agreements.ofPath(path) ?? null;
  const observed = await readVaultFile(session.folder, path);
  if (observed.kind === 'unsettled') {
    pending.add(path);
    return null;
  }
  if (observed.kind === 'missing') {
    seen.delete(path);
    if (base === null) report.settled(path);
    return base;
  }
  seen.set(path, seenOf(observed));
  if (base !== null && !(await wasMovedOver(session, base, observed))) return base;
  if (observed.kind === 'refused') {
    report.problem(path, observed.problem);
    return null;
  }
  try {
    return await takeNew(session, path, observed);
  } catch (error) {
    report.problem(path, reasonOf(error));
    return null;
  }
}

/**
 * Whether the file of another memory was moved to this path. Then the file that was here is gone: what is agreed on
 * about it moves to a path where nothing is, and the usual rules say what becomes of its memory.
 */
async function wasMovedOver(session: Session, base: VaultFile, observed: Observed): Promise<boolean> {
  if (observed.kind !== 'file' || observed.hash === base.fileHash) return false;
  const parsed = parseFile(observed.text);
  const id = isProblem(parsed) ? undefined : parsed.fields.text.id;
  const other = id === undefined || id === base.memoryId ? undefined : session.agreements.ofMemory(id);
  if (other === undefined || other.userId !== base.userId) return false;
  if ((await signatureAt(session.folder, other.path)) !== null) return false;
  const path = base.path.replace(/\.md$/i, `.${base.memoryId}.md`);
  await session.agreements.save([{ ...base, path }]);
  session.pending.add(path);
  return true;
}

function seenOf(observed: Extract<Observed, { signature: string }>): Seen {
  const { signature, hash } = observed;
  if (observed.kind === 'refused') return { signature, hash, version: null };
  const parsed = parseFile(observed.text);
  const version = isProblem(parsed) ? null : parsed.fields.numbers.version;
  return { signature, hash, version: typeof version === 'number' ? version : null };
}
