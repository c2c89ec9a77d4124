export type BatcherOptions<Item, Result> = Readonly<{
  maxItems: number;
  /** Batches under way at once. */
  maxInFlight: number;
  /** Handles the items together; results in their order. */
  run: (items: readonly Item[]) => Promise<readonly Result[]>;
  /** Whether the items of a failed batch deserve to be tried one by one. */
  worthSplitting: (error: unknown) => boolean;
}>;

type Waiting<Item, Result> = Readonly<{
  item: Item;
  resolve: (result: Result) => void;
  reject: (error: unknown) => void;
}>;

/**
 * Collects what arrives while earlier batches are under way and hands it over together. An idle batcher adds no
 * delay: the first item leaves at the end of the current turn of the event loop. One bad item does not fail its
 * neighbours: a failed batch is run again item by item.
 */
export function createBatcher<Item, Result>(
  options: BatcherOptions<Item, Result>,
): {
  submit: (item: Item) => Promise<Result>;
} {
  const waiting: Waiting<Item, Result>[] = [];
  let inFlight = 0;
  let scheduled = false;

  async function runOne(entry: Waiting<Item, Result>): Promise<void> {
    try {
      const [result] = await options.run([entry.item]);
      entry.resolve(result as Result);
    } catch (error) {
      entry.reject(error);
    }
  }

  async function runBatch(batch: readonly Waiting<Item, Result>[]): Promise<void> {
    inFlight += 1;
    try {
      const results = await options.run(batch.map((entry) => entry.item));
      for (const [index, entry] of batch.entries()) entry.resolve(results[index] as Result);
    } catch (error) {
      if (batch.length > 1 && options.worthSplitting(error)) {
        for (const entry of batch) await runOne(entry);
      } else {
        for (const entry of batch) entry.reject(error);
      }
    } finally {
      inFlight -= 1;
      schedule();
    }
  }

  function schedule(): void {
    if (scheduled || waiting.length === 0 || inFlight >= options.maxInFlight) return;
    scheduled = true;
    setImmediate(() => {
      scheduled = false;
      if (inFlight >= options.maxInFlight) return;
      void runBatch(waiting.splice(0, options.maxItems));
      schedule();
    });
  }

  return {
    submit(item) {
      return new Promise<Result>((resolve, reject) => {
        waiting.push({ item, resolve, reject });
        schedule();
      });
    },
  };
}
