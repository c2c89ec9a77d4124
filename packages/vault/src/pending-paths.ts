import type { Signature } from './folder/read-file.ts';

/** A file counts as written when it has not changed for so long. */
const SETTLE_MS = 300;
/** A file counts as deleted when it has been missing for so long: editors and moves take a name away for a moment. */
const MISSING_MS = 1_000;

export type PendingPaths = Readonly<{
  /** Something may have happened to this file. */
  add: (path: string) => void;
  has: (path: string) => boolean;
  size: () => number;
  paths: () => string[];
  /** Tells what is at a path now; true when it has been so for long enough, and the path is pending no more. */
  settle: (path: string, signature: Signature | null, now: number) => boolean;
  drop: (path: string) => void;
}>;

/** Files that may have changed, until they have rested: a file that is being written is waited for. */
export function createPendingPaths(): PendingPaths {
  const pending = new Map<string, { signature: Signature | null | undefined; sinceMs: number }>();
  return {
    add(path) {
      if (!pending.has(path)) pending.set(path, { signature: undefined, sinceMs: 0 });
    },
    has: (path) => pending.has(path),
    size: () => pending.size,
    paths: () => [...pending.keys()],
    settle(path, signature, now) {
      const entry = pending.get(path);
      if (entry === undefined) return false;
      if (entry.signature !== signature) {
        pending.set(path, { signature, sinceMs: now });
        return false;
      }
      if (now - entry.sinceMs < (signature === null ? MISSING_MS : SETTLE_MS)) return false;
      return pending.delete(path);
    },
    drop: (path) => void pending.delete(path),
  };
}
