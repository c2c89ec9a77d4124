import { isMemoryPath, mayHoldMemories } from './folder/walk.ts';
import { createFolderScan } from './folder-scan.ts';
import { createMemoryChanges } from './memory-changes.ts';
import type { Session } from './session.ts';
import { settleFiles, settleMemories } from './settle-all.ts';

/** Files and memories of one step; between two steps the lease is renewed. */
const STEP = 50;
const RENEW_EVERY_MS = 3_000;
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
  const { pending, changed, clock } = session;
  const startedAt = clock();
  let renewedAt = startedAt;
  let hasLooked = false;

  const takenSoFar = () => session.counts.created + session.counts.changed + session.counts.deleted;

  async function keepLease(): Promise<void> {
    if (clock() - renewedAt < RENEW_EVERY_MS) return;
    await session.renew();
    renewedAt = clock();
  }

  const scan = createFolderScan(session, scanIntervalMs);
  const changes = createMemoryChanges(session, keepLease);

  async function settlePending(signal: AbortSignal): Promise<void> {
    for (const paths of inSteps(pending.paths())) {
      signal.throwIfAborted();
      await settleFiles(session, paths);
      await keepLease();
    }
  }

  async function settleChanged(signal: AbortSignal): Promise<void> {
    for (const ids of inSteps([...changed])) {
      signal.throwIfAborted();
      for (const id of ids) changed.delete(id);
      await settleMemories(session, ids);
      await keepLease();
    }
  }

  return {
    touch(path) {
      if (isMemoryPath(path)) pending.add(path);
      else if (mayHoldMemories(path)) scan.soon();
    },
    scanSoon: scan.soon,
    async round(signal) {
      await session.folder.assertPresent();
      await keepLease();
      const before = takenSoFar();
      await changes.find(signal);
      if (scan.isDue()) await scan.run(signal);
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

function inSteps<T>(items: readonly T[]): T[][] {
  return Array.from({ length: Math.ceil(items.length / STEP) }, (_, index) =>
    items.slice(index * STEP, (index + 1) * STEP),
  );
}
