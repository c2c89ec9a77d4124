import { setImmediate as readSockets } from 'node:timers/promises';

/** Runs one batch of protocol messages in the session and passes on its raw answer. */
export type RunBatch = (batch: Buffer, onData: (data: Buffer) => void) => Promise<void>;

/** The session after a batch: outside a transaction, inside one, inside a failed one. */
export type SessionStatus = 'idle' | 'open' | 'failed';

/** The purpose of a connection, most urgent first. */
const WORK_CLASSES = ['accepting', 'background', 'searching'] as const;
export type WorkClass = (typeof WORK_CLASSES)[number];

export type Batch = Readonly<{
  /** The connection that sent the batch. */
  owner: object;
  /** Default `background`. */
  workClass?: WorkClass;
  run: () => Promise<SessionStatus>;
}>;

type Waiting = Batch & Readonly<{ since: number; done: (error?: unknown) => void }>;

/** After this many later batches of other classes went first, a batch gets its turn. */
const MAX_PASSED_OVER = 4;
/** A gateway's timeout for a search: after it the answer has no receiver. */
const SEARCH_PATIENCE_MS = 15_000;

/** A search was not run, because its caller had given up. */
export class WaitedTooLong extends Error {}

export type SessionQueueOptions = Readonly<{
  /** Monotonic milliseconds. */
  now?: () => number;
}>;

/**
 * Shares one database session among connections. Invariants:
 * - one whole batch runs at a time; nothing interrupts it;
 * - while a connection has a transaction open, only its batches run;
 * - otherwise accepting goes before background work, and that before searches; within a class, in order of arrival.
 *   No class waits for more than a few batches of the others;
 * - a search that has waited too long never runs;
 * - a batch that fails to run never stops the queue.
 */
export function createSessionQueue({ now = () => performance.now() }: SessionQueueOptions = {}) {
  const queues: Record<WorkClass, Waiting[]> = { accepting: [], background: [], searching: [] };
  const passedOver: Record<WorkClass, number> = { accepting: 0, background: 0, searching: 0 };
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
      // Batches that arrived while this one ran are still in the sockets, and may be more urgent than the waiting ones.
      await readSockets();
    }
    running = false;
  }

  function take(): Waiting | undefined {
    if (holder !== undefined) return takeOf(holder);
    dropLateSearches();
    const classes = WORK_CLASSES.filter((name) => queues[name].length > 0);
    const chosen = classes.find((name) => passedOver[name] >= MAX_PASSED_OVER) ?? classes[0];
    if (chosen === undefined) return undefined;
    for (const name of classes) passedOver[name] = name === chosen ? 0 : passedOver[name] + 1;
    return queues[chosen].shift();
  }

  function takeOf(owner: object): Waiting | undefined {
    for (const name of WORK_CLASSES) {
      const index = queues[name].findIndex((batch) => batch.owner === owner);
      if (index !== -1) return queues[name].splice(index, 1)[0];
    }
    return undefined;
  }

  function dropLateSearches(): void {
    const { searching } = queues;
    while (searching[0] !== undefined && now() - searching[0].since > SEARCH_PATIENCE_MS) {
      searching.shift()?.done(new WaitedTooLong());
    }
  }

  /** Resolves when the batch has run; rejects with its error, or with `WaitedTooLong`. */
  function enqueue(batch: Batch): Promise<void> {
    return new Promise((resolve, reject) => {
      queues[batch.workClass ?? 'background'].push({
        ...batch,
        since: now(),
        done: (error) => (error === undefined ? resolve() : reject(error)),
      });
      void drain();
    });
  }

  return {
    enqueue,
    /** Whether this connection has a transaction open. */
    holds: (owner: object): boolean => holder === owner,
    /** Drops the waiting batches of a connection that has ended. */
    forget(owner: object): void {
      for (const name of WORK_CLASSES) {
        const gone = queues[name].filter((batch) => batch.owner === owner);
        queues[name] = queues[name].filter((batch) => batch.owner !== owner);
        for (const batch of gone) batch.done(new Error('connection closed'));
      }
    },
  };
}

export type SessionQueue = ReturnType<typeof createSessionQueue>;
