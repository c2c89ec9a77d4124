export type Repeated = Readonly<{
  /** Starts no further round; resolves when the current one has ended. */
  close: () => Promise<void>;
}>;

/**
 * Runs `round` again and again: first after `firstMs`, then `everyMs` after each round has ended. A round that rejects
 * is told to `onError` and followed by the next one like any other.
 *
 * @param options.round gets a signal that fires on `close`; may resolve to another time until the next round
 */
export function repeat(options: {
  firstMs: number;
  everyMs: number;
  round: (signal: AbortSignal) => Promise<number | void>;
  onError: (error: unknown) => void;
}): Repeated {
  const closing = new AbortController();
  let running: Promise<void> = Promise.resolve();
  let timer: NodeJS.Timeout | undefined;

  async function run(): Promise<void> {
    let nextMs: number | void = undefined;
    try {
      nextMs = await options.round(closing.signal);
    } catch (error) {
      options.onError(error);
    }
    if (!closing.signal.aborted) schedule(nextMs ?? options.everyMs);
  }

  function schedule(ms: number): void {
    timer = setTimeout(() => {
      running = run();
    }, ms);
  }
  schedule(options.firstMs);

  return {
    async close() {
      closing.abort();
      clearTimeout(timer);
      await running;
    },
  };
}
