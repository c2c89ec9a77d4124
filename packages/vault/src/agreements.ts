import {
  assertVaultHeld,
  type Database,
  deleteVaultFiles,
  listVaultFiles,
  saveVaultFiles,
  type Sql,
  type VaultFile,
  type VaultHold,
} from '@factmill/database';
import { encodeName, foldedPath } from './names.ts';

/** What files and memories agreed on last, as the database has it. Only the process that holds the vault changes it. */
export type Agreements = Readonly<{
  ofMemory: (memoryId: string) => VaultFile | undefined;
  ofPath: (path: string) => VaultFile | undefined;
  /** Another path that is the same file on a system that folds cases. */
  twinOf: (path: string) => string | undefined;
  all: () => readonly VaultFile[];
  count: () => number;
  /** Folder → user. */
  users: () => ReadonlyMap<string, string>;
  save: (files: readonly VaultFile[]) => Promise<void>;
  forget: (memoryIds: readonly string[]) => Promise<void>;
  /** What a transaction of the caller's has stored, after it has committed. */
  noteSaved: (file: VaultFile) => void;
  noteForgotten: (memoryId: string) => void;
}>;

/** Loads what was agreed on. Fails to change it when another process has taken the vault. */
export async function loadAgreements(database: Database, hold: VaultHold): Promise<Agreements> {
  const byMemory = new Map<string, VaultFile>();
  const byPath = new Map<string, string>();
  const byFoldedPath = new Map<string, string>();
  const users = new Map<string, string>();

  function remove(memoryId: string): void {
    const known = byMemory.get(memoryId);
    if (known === undefined) return;
    byMemory.delete(memoryId);
    byPath.delete(known.path);
    byFoldedPath.delete(foldedPath(known.path));
  }

  function put(file: VaultFile): void {
    remove(file.memoryId);
    byMemory.set(file.memoryId, file);
    byPath.set(file.path, file.memoryId);
    byFoldedPath.set(foldedPath(file.path), file.path);
    users.set(encodeName(file.userId), file.userId);
  }

  function whileHeld(change: (tx: Sql) => Promise<void>): Promise<void> {
    return database.transaction(async (tx) => {
      await assertVaultHeld(tx, hold);
      await change(tx);
    });
  }

  for (const file of await listVaultFiles(database, hold)) put(file);
  return {
    ofMemory: (memoryId) => byMemory.get(memoryId),
    ofPath: (path) => byMemory.get(byPath.get(path) ?? ''),
    twinOf(path) {
      const twin = byFoldedPath.get(foldedPath(path));
      return twin === path ? undefined : twin;
    },
    all: () => [...byMemory.values()],
    count: () => byMemory.size,
    users: () => users,
    async save(files) {
      if (files.length === 0) return;
      await whileHeld((tx) => saveVaultFiles(tx, hold, files));
      files.forEach(put);
    },
    async forget(memoryIds) {
      await whileHeld((tx) => deleteVaultFiles(tx, hold, memoryIds));
      memoryIds.forEach(remove);
    },
    noteSaved: put,
    noteForgotten: remove,
  };
}
