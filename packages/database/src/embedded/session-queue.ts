/** Runs one batch of protocol messages against the session and hands over its raw answer. */
export type RunBatch = (batch: Buffer, onData: (data: Buffer) => void) => Promise<void>;

/** State of the session after a batch: outside a transaction, inside one, inside a failed one. */
export type SessionStatus = 'idle' | 'open' | 'failed';

type Waiting = Readonly<{
  owner: object;
  run: () => Promise<SessionStatus>;
  done: (error?: unknown) => void;
}>;

/**
 * Shares one database session among connections. Invariants:
 * - one batch runs at a time, whole;
 * - while a connection has a transaction open, only its batches run; the others wait in order of arrival;
 * - a batch that fails to run never stops the queue.
 */
export function createSessionQueue() {
  const waiting: Waiting[] = [];
  let holder: object | undefined;
  let running = false;

  async function drain(): Promise<void> {
    if (running) return;
    running = true;
    for (let next = take(); next !== undefined; next = take()) {
      try {
        holder = (await next.run()) === 'idle' ? undefined : next.owner;
        next.done();
      } catch (error) {
        next.done(error);
      }
    }
    running = false;
  }

  function take(): Waiting | undefined {
    const index = holder === undefined ? 0 : waiting.findIndex((entry) => entry.owner === holder);
    return index === -1 ? undefined : waiting.splice(index, 1)[0];
  }

  function enqueue(owner: object, run: () => Promise<SessionStatus>): Promise<void> {
    return new Promise((resolve, reject) => {
      waiting.push({ owner, run, done: (error) => (error === undefined ? resolve() : reject(error)) });
      void drain();
    });
  }

  return {
    enqueue,
    /** Whether this connection has a transaction open. */
    holds: (owner: object): boolean => holder === owner,
    /** Drops what a connection still had waiting, as when it is gone. */
    forget(owner: object): void {
      for (let index = waiting.length - 1; index >= 0; index -= 1) {
        if (waiting[index]?.owner === owner) {
          waiting.splice(index, 1)[0]?.done(new Error('connection closed'));
        }
      }
    },
  };
}

export type SessionQueue = ReturnType<typeof createSessionQueue>;
