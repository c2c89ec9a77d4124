import { findVersionedMemories, type VaultFile, type VersionedMemory } from '@factmill/database';
import { signatureAt } from './folder/read-file.ts';
import { lookAtFile } from './look-at-file.ts';
import type { Session } from './session.ts';
import { settleMemory } from './settle-memory.ts';
import { inParallel, type ToWrite, writeFiles } from './write-files.ts';

/** Reads those of these files that have rested, and brings them and their memories together. */
export async function settleFiles(session: Session, paths: readonly string[]): Promise<void> {
  const bases: VaultFile[] = [];
  for (const path of await rested(session, paths)) {
    const base = await lookAtFile(session, path);
    if (base !== null) bases.push(base);
  }
  await settleMemories(
    session,
    bases.map(({ memoryId }) => memoryId),
  );
}

/** Brings these memories and their files together. A file that may be changing is looked at first. */
export async function settleMemories(session: Session, given: readonly string[]): Promise<void> {
  // A file that was moved leads to its memory twice: by the path that is gone, and by the new one.
  const ids = [...new Set(given)];
  const { agreements, changed, pending, seen } = session;
  const isPending = (id: string) => {
    const base = agreements.ofMemory(id);
    return base !== undefined && pending.has(base.path);
  };
  const ready = ids.filter((id) => !isPending(id));
  const { tenantId } = session.hold;
  const found = await findVersionedMemories(session.database, { tenantId, ids: ready });
  const rows = new Map<string, VersionedMemory>(found.map((row) => [row.id, row]));
  const writes: ToWrite[] = [];
  for (const id of ready) {
    const base = agreements.ofMemory(id) ?? null;
    const file = base === null ? null : (seen.get(base.path) ?? null);
    // What came before may have moved this one.
    const write = isPending(id) ? null : await settleMemory(session, base, rows.get(id) ?? null, file);
    if (write !== null) writes.push(write);
  }
  await writeFiles(session, writes);
  for (const id of ids.filter(isPending)) changed.add(id);
}

/** Drops what is as it was read, and keeps what has not rested yet. */
async function rested(session: Session, paths: readonly string[]): Promise<string[]> {
  const { clock, folder, pending, seen } = session;
  const signatures = await inParallel(paths, (path) => signatureAt(folder, path));
  return paths.filter((path, index) => {
    const signature = signatures[index] ?? null;
    if (signature !== null && seen.get(path)?.signature === signature) {
      pending.drop(path);
      return false;
    }
    return pending.settle(path, signature, clock());
  });
}
