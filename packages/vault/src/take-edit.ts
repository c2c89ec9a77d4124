import {
  findVersionedMemories,
  lockUserMemories,
  saveVaultFiles,
  type VaultFile,
  type VersionedMemory,
} from '@factmill/database';
import { isAppError } from '@factmill/errors';
import { changeMemory, unlessTaken } from '@factmill/memories';
import type { MemoryPatch } from '@factmill/contracts';
import { type FileFields, isProblem, parseFile } from './file-fields.ts';
import { ACTOR, type Session } from './session.ts';
import { toPatch } from './to-memory.ts';

export type FileText = Readonly<{ hash: string; text: string }>;

/** A sentence for the report when a writer refuses what a file says; other errors are thrown. */
export function refusalOf(error: unknown): string {
  if (isAppError(error) && (error.code === 'invalid_request' || error.code === 'memory_conflict')) {
    return error.message;
  }
  throw error;
}

/**
 * The memory gets what its file says, through the one writer, with a version. What is agreed on is stored in the same
 * transaction: an edit is either taken whole or still to be taken.
 *
 * @param base with the version that the file was made from, which is that of `row`
 */
export async function takeEdit(
  session: Session,
  base: VaultFile,
  file: FileText,
  row: VersionedMemory,
): Promise<void> {
  const { report } = session;
  const parsed = parseFile(file.text);
  if (isProblem(parsed)) return report.problem(base.path, parsed.problem);
  if (parsed.document === null) {
    return report.problem(base.path, 'the front matter is missing; delete the file to delete its memory');
  }
  const patch = toPatch(parsed.fields, row);
  if (patch !== null && isProblem(patch)) return report.problem(base.path, patch.problem);
  const agreed = agreedOn(base, file, parsed.fields, row);
  if (patch === null) {
    await session.agreements.save([agreed]);
    return report.settled(base.path);
  }
  try {
    await change(session, { patch, row, agreed, fields: parsed.fields });
  } catch (error) {
    report.problem(base.path, refusalOf(error));
  }
}

type Change = Readonly<{
  patch: MemoryPatch;
  row: VersionedMemory;
  agreed: VaultFile;
  fields: FileFields;
}>;

async function change(session: Session, { patch, row, agreed, fields }: Change): Promise<void> {
  const { hold, report } = session;
  const target = { tenantId: hold.tenantId, userId: row.userId, id: row.id };
  const saved = await unlessTaken(() =>
    session.transaction(async (tx) => {
      await lockUserMemories(tx, target.tenantId, target.userId);
      const ids = { tenantId: target.tenantId, ids: [row.id] };
      const [current] = await findVersionedMemories(tx, ids);
      if (current?.version !== row.version) return null;
      await changeMemory(tx, target, { patch, actor: ACTOR, now: session.now() });
      const [after] = await findVersionedMemories(tx, ids);
      const next =
        after === undefined
          ? { ...agreed, version: row.version + 1 }
          : { ...agreed, version: after.version, isStale: isStale(fields, after) };
      await saveVaultFiles(tx, hold, [next]);
      return next;
    }),
  );
  session.changed.add(row.id);
  if (saved === null) return session.pending.add(agreed.path);
  session.agreements.noteSaved(saved);
  session.counts.changed += 1;
  report.settled(agreed.path);
  await session.embedLater(target.tenantId, [row.id]);
}

/** What both sides agree on once a file has been taken. */
export function agreedOn(
  base: Pick<VaultFile, 'path'>,
  file: FileText,
  fields: FileFields,
  row: VersionedMemory,
): VaultFile {
  return {
    memoryId: row.id,
    userId: row.userId,
    path: base.path,
    fileHash: file.hash,
    version: row.version,
    isStale: isStale(fields, row),
    writingHash: null,
    writingVersion: null,
  };
}

/** Whether the file lacks its id, or says something in other words than the memory does. */
function isStale(fields: FileFields, row: VersionedMemory): boolean {
  return fields.text.id !== row.id || toPatch(fields, row) !== null;
}
