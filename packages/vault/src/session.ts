import {
  assertVaultHeld,
  type Database,
  holdVault,
  markVaultImported,
  releaseVault,
  type Sql,
  type VaultHold,
} from '@factmill/database';
import type { Logger } from '@factmill/telemetry';
import { type Agreements, loadAgreements } from './agreements.ts';
import type { Folder } from './folder/open-folder.ts';
import type { Signature } from './folder/read-file.ts';
import type { FileOperations } from './folder/file-operations.ts';
import { createSwap, type Swap } from './folder/swap.ts';
import { createPendingPaths, type PendingPaths } from './pending-paths.ts';
import { createReport, type Report } from './report.ts';

/** The actor of changes that come from files. */
export const ACTOR = { actor: 'vault', extractionId: null };

const LEASE_SECONDS = 10;

export type VaultDeps = Readonly<{
  folder: Folder;
  tenantId: string;
  /** Most files that are followed, and most memories that are written. */
  maxFiles: number;
  database: Database;
  wantsEmbedding: boolean;
  /** Asks for the vectors of memories that were written; must not reject. */
  embedLater: (tenantId: string, memoryIds: readonly string[]) => Promise<void>;
  newId: () => string;
  now: () => Date;
  /** Milliseconds that only go forward. */
  clock: () => number;
  /** Those of this system unless told otherwise. */
  files?: FileOperations;
  logger: Pick<Logger, 'info' | 'warn'>;
}>;

export type Counts = {
  /** Files written, removed. */
  written: number;
  removed: number;
  /** Memories created, changed and deleted by files. */
  created: number;
  changed: number;
  deleted: number;
  /** Files kept aside. */
  conflicts: number;
};

/** A file as it was last read. */
export type Seen = Readonly<{ signature: Signature; hash: string; version: number | null }>;

/** What a process knows while it holds the vault. Everything in it can be found again from folder and database. */
export type Session = VaultDeps &
  Readonly<{
    hold: VaultHold;
    counts: Counts;
    agreements: Agreements;
    swap: Swap;
    report: Report;
    /** Files that may have changed. */
    pending: PendingPaths;
    /** Path → the file as it was last read. */
    seen: Map<string, Seen>;
    /** Memories that may have changed. */
    changed: Set<string>;
    /** Ids in front matter that are not known here are those of another installation, and taken as new. */
    isFirstImport: () => boolean;
    markImported: () => Promise<void>;
    /** Extends the lease. @throws AppError `fenced` when another process has taken the vault */
    renew: () => Promise<void>;
    /** Runs a transaction that fails when another process holds the vault. */
    transaction: <T>(fn: (tx: Sql) => Promise<T>) => Promise<T>;
    /** Drops what was replaced, and gives the vault back. */
    close: () => Promise<void>;
  }>;

/** Takes the vault, and brings it into order after a process that was killed. Null while another process holds it. */
export async function openSession(deps: VaultDeps): Promise<Session | null> {
  const { database, folder, clock } = deps;
  await folder.assertPresent();
  const hold: VaultHold = { vaultId: folder.vaultId, tenantId: deps.tenantId, holder: deps.newId() };
  const held = await holdVault(database, hold, LEASE_SECONDS);
  if (held === null) return null;
  let { isImported } = held;
  const swap = createSwap(folder, clock, deps.files);
  const report = createReport(folder);
  const agreements = await loadAgreements(database, hold);
  const isBeingWritten = (path: string) => agreements.ofPath(path)?.writingHash != null;
  for (const path of await swap.recover(isBeingWritten, deps.now())) {
    report.event(`\`${path}\` was written into while Factmill replaced it; that text was kept.`, deps.now());
  }
  return {
    ...deps,
    hold,
    counts: { written: 0, removed: 0, created: 0, changed: 0, deleted: 0, conflicts: 0 },
    agreements,
    swap,
    report,
    pending: createPendingPaths(),
    seen: new Map(),
    changed: new Set(),
    isFirstImport: () => !isImported,
    async markImported() {
      if (isImported) return;
      await markVaultImported(database, hold);
      isImported = true;
    },
    async renew() {
      await database.transaction((tx) => assertVaultHeld(tx, hold));
      await holdVault(database, hold, LEASE_SECONDS);
    },
    transaction: (fn) =>
      database.transaction(async (tx) => {
        await assertVaultHeld(tx, hold);
        return fn(tx);
      }),
    async close() {
      await swap.recover(isBeingWritten, deps.now());
      await releaseVault(database, hold);
    },
  };
}
