export type Closers = Readonly<{
  /** Registers a resource that must be released; returns it. */
  add: <T extends { close: () => Promise<unknown> | void }>(thing: T) => T;
  /** Releases everything in reverse order. The first error is thrown after all have been released. */
  close: () => Promise<void>;
}>;

/** Tracks opened resources and releases them in reverse order, also when a later step of the start fails. */
export function createClosers(): Closers {
  const open: { close: () => Promise<unknown> | void }[] = [];
  return {
    add(thing) {
      open.push(thing);
      return thing;
    },
    async close() {
      const errors: unknown[] = [];
      for (let thing = open.pop(); thing !== undefined; thing = open.pop()) {
        try {
          await thing.close();
        } catch (error) {
          errors.push(error);
        }
      }
      if (errors.length > 0) throw errors[0];
    },
  };
}
