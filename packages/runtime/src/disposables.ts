export type Disposables = Readonly<{
  /** Registers a resource that must be released; returns it. */
  add: <T extends { close: () => Promise<unknown> | void }>(disposable: T) => T;
  /** Releases everything in reverse order. The first error is thrown after all have been released. */
  close: () => Promise<void>;
}>;

/** Tracks opened resources and releases them in reverse order, also when a later step of the start fails. */
export function createDisposables(): Disposables {
  const open: { close: () => Promise<unknown> | void }[] = [];
  return {
    add(disposable) {
      open.push(disposable);
      return disposable;
    },
    async close() {
      const errors: unknown[] = [];
      for (let disposable = open.pop(); disposable !== undefined; disposable = open.pop()) {
        try {
          await disposable.close();
        } catch (error) {
          errors.push(error);
        }
      }
      if (errors.length > 0) throw errors[0];
    },
  };
}
