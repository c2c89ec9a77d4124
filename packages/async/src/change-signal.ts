export type ChangeSignal = Readonly<{
  /** Something has changed. */
  changed: () => void;
  /** Calls the listener at each change until the function that it returns is called. */
  subscribe: (listener: () => void) => () => void;
}>;

/** Tells timers that there may be something to do, as a process can that has its database to itself. */
export function createChangeSignal(): ChangeSignal {
  const listeners = new Set<() => void>();
  return {
    changed: () => {
      for (const listener of listeners) listener();
    },
    subscribe: (listener) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
  };
}
