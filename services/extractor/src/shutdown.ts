import { settlesWithin } from '@factmill/async';

/**
 * The phases in which the extractor stops, one after the other.
 * - `drain`: all parts at once start nothing further, and give running work its grace to finish
 * - `abort`: all parts at once abort what still runs and release its rows
 * - `release`: leases, models and gauges are closed, in reverse order of opening
 */
export type Part = Readonly<{
  drain?: () => Promise<unknown>;
  abort?: () => Promise<unknown>;
  release?: () => Promise<void> | void;
}>;

/** How long aborted work may take to release its rows; the leases of the rest run out. */
const ABORT_MS = 500;

export type Shutdown = Readonly<{
  /** Registers a part as soon as it is open; returns it. */
  add: <T extends Part>(part: T) => T;
  /** Runs the phases. The first error is thrown after all of them. */
  run: () => Promise<void>;
}>;

export function createShutdown(): Shutdown {
  const parts: Part[] = [];
  return {
    add(part) {
      parts.push(part);
      return part;
    },
    async run() {
      const open = parts.splice(0);
      const errors: unknown[] = [];
      const note = (error: unknown) => {
        errors.push(error);
      };
      await Promise.all(open.map(async (part) => part.drain?.().catch(note)));
      await Promise.all(open.map(async (part) => part.abort && settlesWithin(part.abort(), ABORT_MS)));
      for (const part of open.toReversed()) {
        try {
          await part.release?.();
        } catch (error) {
          note(error);
        }
      }
      if (errors.length > 0) throw errors[0];
    },
  };
}
