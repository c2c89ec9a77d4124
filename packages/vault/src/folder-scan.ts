import { walkVault } from './folder/walk.ts';
import type { Session } from './session.ts';

/** A scan takes at most one part in so many of the time. */
const SCAN_SHARE = 20;
/** And one that was asked for at most one part in so many. */
const SOON_SHARE = 4;

export type FolderScan = Readonly<{
  isDue: () => boolean;
  /** Something has happened that no path tells of, or the watcher has missed something. */
  soon: () => void;
  /** Finds files that have changed or are missing, without reading them. */
  run: (signal: AbortSignal) => Promise<void>;
}>;

/** Looks at intervals which files are there: what the watcher missed is found here. */
export function createFolderScan(session: Session, intervalMs: number): FolderScan {
  const { agreements, clock, pending, report, seen } = session;
  let dueAt = clock();
  let notBefore = dueAt;
  let isAsked = false;
  return {
    isDue: () => clock() >= dueAt,
    soon() {
      isAsked = true;
      dueAt = Math.min(dueAt, Math.max(clock(), notBefore));
    },
    async run(signal) {
      const began = clock();
      isAsked = false;
      const { files, isComplete } = await walkVault(session.folder.root, 2 * session.maxFiles, signal);
      for (const [path, signature] of files) {
        if (seen.get(path)?.signature !== signature) pending.add(path);
      }
      if (isComplete) {
        for (const { path, fileHash } of agreements.all()) {
          if (!files.has(path) && fileHash !== null) pending.add(path);
        }
        report.settled('entries (scan)');
      } else {
        report.problem(
          'entries (scan)',
          'not everything was read (too many files, or a folder without permission), so no file counts as deleted',
        );
      }
      const tookMs = clock() - began;
      notBefore = clock() + SOON_SHARE * tookMs;
      // What happens while a scan looks may be too late for it.
      dueAt = isAsked ? notBefore : clock() + Math.max(intervalMs, SCAN_SHARE * tookMs);
    },
  };
}
