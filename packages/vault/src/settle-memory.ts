import {
  deleteMemories,
  deleteVaultFiles,
  findVersionedMemories,
  lockUserMemories,
  type VaultFile,
  type VersionedMemory,
} from '@factmill/database';
import { decide } from './decide.ts';
import { isProblem, parseFile } from './file-fields.ts';
import { type Observed, readVaultFile, signatureAt } from './folder/read-file.ts';
import { keepAside } from './keep-aside.ts';
import { ACTOR, type Seen, type Session } from './session.ts';
import { agreedOn, takeEdit } from './take-edit.ts';
import { toPatch } from './to-memory.ts';
import { reasonOf, type ToWrite } from './write-files.ts';

/**
 * Brings one memory and its file together. Resolves to what has to be written, which is done for many at once.
 *
 * @param file as it was last read; null when there is none
 */
export async function settleMemory(
  session: Session,
  base: VaultFile | null,
  row: VersionedMemory | null,
  file: Seen | null,
): Promise<ToWrite | null> {
  const decision = decide({ base, file, version: row?.version ?? null });
  if (row !== null && base === null) return decision === 'write' ? writeNew(session, row) : null;
  if (base === null) return null;
  try {
    switch (decision) {
      case 'none':
        session.report.settled(base.path);
        return null;
      case 'forget':
        await session.agreements.forget([base.memoryId]);
        return null;
      case 'remove':
        await removeFile(session, base, file);
        return null;
      case 'conflict_gone':
        await keepAside(session, base.path, GONE);
        await session.agreements.forget([base.memoryId]);
        return null;
      default:
        return row === null ? null : await settleCurrent(session, base, row, decision);
    }
  } catch (error) {
    session.report.problem(base.path, reasonOf(error));
    return null;
  }
}

const GONE =
  'Its memory has ended (replaced by a newer value, archived, deleted or expired) since this file was last in agreement with it. To keep the text, move the file back into entries without its id.';
const CHANGED =
  'File and memory have both changed since they last agreed. The memory stands and its file was written anew. To use the text of this file instead, copy it into the new one.';
const DELETED =
  'was deleted while its memory changed, and has been written anew. Delete it again to delete the memory.';

async function settleCurrent(
  session: Session,
  base: VaultFile,
  row: VersionedMemory,
  decision: ReturnType<typeof decide>,
): Promise<ToWrite | null> {
  switch (decision) {
    case 'write':
      return { row, base, isVacant: !session.seen.has(base.path) };
    case 'rewrite':
      session.report.event(`\`${base.path}\` ${DELETED}`, session.now());
      return { row, base, isVacant: true };
    case 'delete':
      await deleteMemory(session, base, row);
      return null;
    case 'take':
      await withFile(session, base, (file) => takeEdit(session, versionedBase(base, row), file, row));
      return null;
    case 'conflict':
      return keepBoth(session, base, row);
    default:
      return null;
  }
}

function versionedBase(base: VaultFile, row: VersionedMemory): VaultFile {
  return { ...base, version: row.version };
}

function writeNew(session: Session, row: VersionedMemory): ToWrite | null {
  if (session.agreements.count() < session.maxFiles) return { row, base: null, isVacant: true };
  session.report.problem('entries', 'there are more memories than VAULT_MAX_FILES; the newest have no file');
  return null;
}

async function removeFile(session: Session, base: VaultFile, file: Seen | null): Promise<void> {
  const swapped = await session.swap.remove(base.path, file?.hash ?? '');
  if (swapped === 'changed') {
    session.seen.delete(base.path);
    session.changed.add(base.memoryId);
    return session.pending.add(base.path);
  }
  session.seen.delete(base.path);
  session.report.settled(base.path);
  session.counts.removed += 1;
  await session.agreements.forget([base.memoryId]);
}

/** The file is kept aside, unless it says what the memory says. */
async function keepBoth(session: Session, base: VaultFile, row: VersionedMemory): Promise<ToWrite | null> {
  let saysTheSame = false;
  const wasRead = await withFile(session, base, async (file) => {
    const parsed = parseFile(file.text);
    saysTheSame = !isProblem(parsed) && parsed.document !== null && toPatch(parsed.fields, row) === null;
    if (saysTheSame && !isProblem(parsed)) {
      await session.agreements.save([agreedOn(base, file, parsed.fields, row)]);
      session.report.settled(base.path);
    }
  });
  if (saysTheSame || wasRead === 'changed') return null;
  // From here on a missing file is known to be ours to write.
  const marked = { ...base, writingHash: base.writingHash ?? 'aside', writingVersion: row.version };
  await session.agreements.save([marked]);
  await keepAside(session, base.path, CHANGED);
  return { row, base: marked, isVacant: true };
}

/** Works with the text of a file as it was last seen; one that has changed since is looked at again. */
async function withFile(
  session: Session,
  base: VaultFile,
  work: (file: Readonly<{ hash: string; text: string }>) => Promise<void>,
): Promise<'done' | 'changed'> {
  const observed: Observed = await readVaultFile(session.folder, base.path);
  const isAsSeen = 'hash' in observed && observed.hash === session.seen.get(base.path)?.hash;
  if (!isAsSeen) {
    session.seen.delete(base.path);
    session.pending.add(base.path);
    session.changed.add(base.memoryId);
    return 'changed';
  }
  if (observed.kind === 'file') await work(observed);
  else if (observed.kind === 'refused') session.report.problem(base.path, observed.problem);
  return 'done';
}

/** The file is gone, so the memory is deleted; it can be restored until it is purged. */
async function deleteMemory(session: Session, base: VaultFile, row: VersionedMemory): Promise<void> {
  const { hold, folder } = session;
  await folder.assertPresent();
  if ((await signatureAt(folder, base.path)) !== null) return session.pending.add(base.path);
  const target = { tenantId: hold.tenantId, userId: row.userId };
  const isDeleted = await session.transaction(async (tx) => {
    await lockUserMemories(tx, target.tenantId, target.userId);
    const [current] = await findVersionedMemories(tx, { tenantId: target.tenantId, ids: [row.id] });
    if (current?.version !== row.version) return false;
    await deleteMemories(tx, { ...target, id: row.id, key: null, category: null }, ACTOR);
    await deleteVaultFiles(tx, hold, [row.id]);
    return true;
  });
  session.report.settled(base.path);
  if (!isDeleted) return void session.changed.add(row.id);
  session.agreements.noteForgotten(row.id);
  session.counts.deleted += 1;
}
