import {
  listChangedMemories,
  listVersionMarks,
  type MemoryVersionMark,
  type VaultFile,
} from '@factmill/database';
import type { Session } from './session.ts';

/** Finds what neither versions nor erasures tell of: expired and purged memories. */
const COMPARE_EVERY_MS = 300_000;
const MAX_CHANGES = 5_000;
const PAGE_SIZE = 1_000;

export type MemoryChanges = Readonly<{
  /** Finds the memories that have changed since the last call, and from time to time compares all. */
  find: (signal: AbortSignal) => Promise<void>;
}>;

/**
 * Follows the memories of the tenant, by a watermark within the life of the process, and by a comparison at its start,
 * after an erasure and at intervals.
 *
 * @param keepLease called between two pages
 */
export function createMemoryChanges(session: Session, keepLease: () => Promise<void>): MemoryChanges {
  const { agreements, changed, clock, pending, report, seen } = session;
  const { tenantId } = session.hold;
  let compareAt = clock();
  let watermark: string | null = null;
  let knownErasures: ReadonlySet<string> = new Set();

  async function askForChanges(): Promise<void> {
    const found = await listChangedMemories(session.database, { tenantId, watermark, limit: MAX_CHANGES });
    ({ watermark } = found);
    for (const id of found.ids) changed.add(id);
    const isNew = (erasure: string) => !knownErasures.has(erasure);
    if (found.isCut || found.erasures.some(isNew)) compareAt = clock();
    knownErasures = new Set(found.erasures);
  }

  /** The versions of all memories. The watermark is older, so a change meanwhile comes once more. */
  async function compare(signal: AbortSignal): Promise<void> {
    const missing = new Set(agreements.all().map(({ memoryId }) => memoryId));
    let after: MemoryVersionMark | undefined;
    // Of more memories than files are allowed, those with a file are looked up one by one below.
    for (let room = 2 * session.maxFiles; room > 0; room -= PAGE_SIZE) {
      signal.throwIfAborted();
      const page = { tenantId, limit: PAGE_SIZE, ...(after === undefined ? {} : { after }) };
      const marks = await listVersionMarks(session.database, page);
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
    if (agreements.count() < session.maxFiles) report.settled('entries');
    // What could not be taken may be possible now.
    for (const path of report.problems().keys()) {
      if (seen.delete(path)) pending.add(path);
    }
    compareAt = clock() + COMPARE_EVERY_MS;
  }

  return {
    async find(signal) {
      await askForChanges();
      if (clock() >= compareAt) await compare(signal);
    },
  };
}

function needsLook(base: VaultFile, version: number): boolean {
  return base.version !== version || base.isStale || base.writingHash !== null || base.fileHash === null;
}
