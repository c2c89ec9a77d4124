import { AppError } from '@factmill/errors';

/** Bytes that a request holds. */
export type ByteLease = Readonly<{
  /** Raises this lease to `bytes` in all, if there is room at once. */
  tryGrow: (bytes: number) => boolean;
  /**
   * Raises this lease to `bytes` in all; waits for other leases to be released when there is no room.
   *
   * @throws AppError `overloaded` when there is no room in time
   */
  grow: (bytes: number) => Promise<void>;
  /** Gives everything back. Idempotent. */
  release: () => void;
}>;

export type ByteBudget = Readonly<{
  lease: () => ByteLease;
  /** Bytes that are held now. */
  held: () => number;
}>;

export type ByteBudgetOptions = Readonly<{
  /** Limit for all leases together. */
  totalBytes: number;
  /** How long a lease waits for room. */
  waitMs: number;
  /** A lease of no more than this never waits, so that small requests go on beside large ones. */
  freeBytes: number;
}>;

/** `own`: what it holds already. */
type Waiting = { bytes: number; own: number; admit: () => void };

/**
 * Bounds the memory that large bodies hold at the same time. A request that needs more than is left waits in line,
 * and is refused when its time is over, which also resolves deadlocks. A body larger than the whole budget is
 * admitted alone.
 */
export function createByteBudget({ totalBytes, waitMs, freeBytes }: ByteBudgetOptions): ByteBudget {
  let held = 0;
  const line: Waiting[] = [];

  const hasRoom = (bytes: number, own: number) => held === own || held + bytes <= totalBytes;
  function admitNext(): void {
    for (let first = line[0]; first !== undefined && hasRoom(first.bytes, first.own); first = line[0]) {
      line.shift();
      held += first.bytes;
      first.admit();
    }
  }

  function take(bytes: number, own: number): boolean {
    if (line.length > 0 || !hasRoom(bytes, own)) return false;
    held += bytes;
    return true;
  }

  function wait(bytes: number, own: number): Promise<void> {
    return new Promise((resolve, reject) => {
      const waiting: Waiting = {
        bytes,
        own,
        admit: () => {
          clearTimeout(timer);
          resolve();
        },
      };
      const timer = setTimeout(() => {
        line.splice(line.indexOf(waiting), 1);
        admitNext();
        reject(
          new AppError('overloaded', 'Too many large requests at once; send it again.', {
            retryAfterSeconds: Math.ceil(waitMs / 1_000),
          }),
        );
      }, waitMs);
      line.push(waiting);
    });
  }

  return {
    held: () => held,
    lease() {
      let own = 0;
      let isReleased = false;
      const missing = (bytes: number) => Math.max(0, (bytes <= freeBytes ? 0 : bytes) - own);
      const tryGrow = (bytes: number) => {
        const more = missing(bytes);
        if (more === 0 || isReleased) return true;
        const isTaken = take(more, own);
        if (isTaken) own += more;
        return isTaken;
      };
      return {
        tryGrow,
        async grow(bytes) {
          if (tryGrow(bytes)) return;
          const more = missing(bytes);
          await wait(more, own);
          // Released while it waited: the caller has gone.
          if (isReleased) {
            held -= more;
            admitNext();
          } else own += more;
        },
        release() {
          isReleased = true;
          held -= own;
          own = 0;
          admitNext();
        },
      };
    },
  };
}
