import {
  findVersionedMemories,
  listChangedMemories,
  listVersionMarks,
  type MemoryVersionMark,
  type VaultFile,
  type VersionedMemory,
} from '@factmill/database';
import { parseFile, isProblem } from './file-fields.ts';
import { readVaultFile, signatureAt, type Observed } from './folder/read-file.ts';
import { isMemoryPath, mayHoldMemories, walkVault } from './folder/walk.ts';
import type { Seen, Session } from './session.ts';
import { settleMemory } from './settle-memory.ts';
import { takeNew } from './take-new.ts';
import { inParallel, reasonOf, type ToWrite, writeFiles } from './write-files.ts';

/** Files and memories of one step; between two steps the lease is renewed. */
const STEP = 50;
const RENEW_EVERY_MS = 3_000;
/** Finds what no version tells of: expired and purged memories. */
const COMPARE_EVERY_MS = 300_000;
const MAX_CHANGES = 5_000;
const PAGE_SIZE = 1_000;
/** A scan takes at most one part in so many of the time. */
const SCAN_SHARE = 20;
/** And one that was asked for at most one part in so many. */
const SOON_SHARE = 4;
/** A file that is still being written after so long does not hold up the first writing of the others. */
const FIRST_LOOK_MS = 10_000;

export type Follower = Readonly<{
  /** A path may have changed, as the watcher says. */
  touch: (path: string) => void;
  /** Something has happened that no path tells of, or the watcher has missed something. */
  scanSoon: () => void;
  /** Looks at both sides, and does what is ready to be done. Resolves to whether all of it is done. */
  round: (signal: AbortSignal) => Promise<boolean>;
}>;

/** Follows folder and database of one vault, in rounds. */
export function createFollower(session: Session, scanIntervalMs: number): Follower {
  const { agreements, pending, changed, seen, clock } = session;
  const startedAt = clock();
  let renewedAt = startedAt;
  let scanAt = startedAt;
  let notBefore = startedAt;
  let compareAt = startedAt;
  let watermark: string | null = null;
  let hasLooked = false;

  const takenSoFar = () => session.counts.created + session.counts.changed + session.counts.deleted;

  async function keepLease(): Promise<void> {
    if (clock() - renewedAt < RENEW_EVERY_MS) return;
    await session.renew();
    renewedAt = clock();
  }

  /** Which files are there, without reading them. */
  async function scan(signal: AbortSignal): Promise<void> {
    const began = clock();
    const { files, isComplete } = await walkVault(session.folder.root, 2 * session.maxFiles, signal);
    for (const [path, signature] of files) {
      if (seen.get(path)?.signature !== signature) pending.add(path);
    }
    if (isComplete) {
      for (const { path, fileHash } of agreements.all()) {
        if (!files.has(path) && fileHash !== null) pending.add(path);
      }
      session.report.settled('entries (scan)');
    } else {
      session.report.problem(
        'entries (scan)',
        'not everything was read (too many files, or a folder without permission), so no file counts as deleted',
      );
    }
    const tookMs = clock() - began;
    scanAt = clock() + Math.max(scanIntervalMs, SCAN_SHARE * tookMs);
    notBefore = clock() + SOON_SHARE * tookMs;
  }

  function scanSoon(): void {
    scanAt = Math.min(scanAt, Math.max(clock(), notBefore));
  }

  async function askForChanges(): Promise<void> {
    const { tenantId } = session.hold;
    const found = await listChangedMemories(session.database, { tenantId, watermark, limit: MAX_CHANGES });
    ({ watermark } = found);
    for (const id of found.ids) changed.add(id);
    if (found.isCut) compareAt = clock();
  }

  /** Compares the versions of all memories. The watermark is older, so a change meanwhile comes once more. */
  async function compare(signal: AbortSignal): Promise<void> {
    const { tenantId } = session.hold;
    const missing = new Set(agreements.all().map(({ memoryId }) => memoryId));
    let after: MemoryVersionMark | undefined;
    // Of more memories than files are allowed, those with a file are looked up one by one below.
    for (let room = 2 * session.maxFiles; room > 0; room -= PAGE_SIZE) {
      signal.throwIfAborted();
      const marks = await listVersionMarks(session.database, {
        tenantId,
        limit: PAGE_SIZE,
        ...(after === undefined ? {} : { after }),
      });
      for (const { id, version } of marks) {
        missing.delete(id);
        const base = agreements.ofMemory(id);
        const isNew = base === undefined && agreements.count() + changed.size < session.maxFiles;
        if (isNew || (base !== undefined && needsLook(base, version))) changed.add(id);
      }
      after = marks.at(-1);
      if (marks.length < PAGE_SIZE) break;
      await keepLease();
    }
    for (const id of missing) changed.add(id);
    if (agreements.count() < session.maxFiles) session.report.settled('entries');
    for (const path of session.report.problems().keys()) {
      if (seen.delete(path)) pending.add(path);
    }
    compareAt = clock() + COMPARE_EVERY_MS;
  }

  /** The paths that have rested. */
  async function rested(paths: readonly string[]): Promise<string[]> {
    const signatures = await inParallel(paths, (path) => signatureAt(session.folder, path));
    return paths.filter((path, index) => {
      const signature = signatures[index] ?? null;
      if (signature !== null && seen.get(path)?.signature === signature) {
        pending.drop(path);
        return false;
      }
      return pending.settle(path, signature, clock());
    });
  }

  async function settleFiles(paths: readonly string[]): Promise<void> {
    const bases: VaultFile[] = [];
    for (const path of paths) {
      const base = await lookAt(session, path);
      if (base !== null) bases.push(base);
    }
    await settleAll(bases.map(({ memoryId }) => memoryId));
  }

  async function settleAll(ids: readonly string[]): Promise<void> {
    const { tenantId } = session.hold;
    const found = await findVersionedMemories(session.database, { tenantId, ids });
    const rows = new Map<string, VersionedMemory>(found.map((row) => [row.id, row]));
    const writes: ToWrite[] = [];
    for (const id of ids) {
      const base = agreements.ofMemory(id) ?? null;
      // A file that may be changing is looked at first.
      if (base !== null && pending.has(base.path)) {
        changed.add(id);
        continue;
      }
      const file = base === null ? null : (seen.get(base.path) ?? null);
      const write = await settleMemory(session, base, rows.get(id) ?? null, file);
      if (write !== null) writes.push(write);
    }
    await writeFiles(session, writes);
  }

  async function settlePending(signal: AbortSignal): Promise<void> {
    for (const paths of inSteps(pending.paths())) {
      signal.throwIfAborted();
      await settleFiles(await rested(paths));
      await keepLease();
    }
  }

  async function settleChanged(signal: AbortSignal): Promise<void> {
    for (const ids of inSteps([...changed])) {
      signal.throwIfAborted();
      for (const id of ids) changed.delete(id);
      await settleAll(ids);
      await keepLease();
    }
  }

  return {
    touch(path) {
      if (isMemoryPath(path)) pending.add(path);
      else if (mayHoldMemories(path)) scanSoon();
    },
    scanSoon,
    async round(signal) {
      await session.folder.assertPresent();
      await keepLease();
      const before = takenSoFar();
      await askForChanges();
      if (clock() >= compareAt) await compare(signal);
      if (clock() >= scanAt) await scan(signal);
      await settlePending(signal);
      hasLooked ||= pending.size() === 0 || clock() - startedAt >= FIRST_LOOK_MS;
      if (hasLooked) await settleChanged(signal);
      // What was taken may have ended other memories; the next round asks.
      const isDone = pending.size() === 0 && changed.size === 0 && takenSoFar() === before;
      if (isDone) await session.markImported();
      for (const path of await session.swap.dropReplaced(clock(), session.now())) {
        session.counts.conflicts += 1;
        session.report.event(
          `\`${path}\`: a text was written while the file was replaced; it was kept.`,
          session.now(),
        );
      }
      await session.report.write();
      return isDone;
    },
  };
}

/** Reads a file that has rested. Resolves to what was agreed on about it; null when there is nothing more to do. */
async function lookAt(session: Session, path: string): Promise<VaultFile | null> {
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

function needsLook(base: VaultFile, version: number): boolean {
  return base.version !== version || base.isStale || base.writingHash !== null || base.fileHash === null;
}

function inSteps<T>(items: readonly T[]): T[][] {
  return Array.from({ length: Math.ceil(items.length / STEP) }, (_, index) =>
    items.slice(index * STEP, (index + 1) * STEP),
  );
}
