export type BatcherOptions<Item, Result> = Readonly<{
  /** Largest total size of a batch, in the unit of `sizeOf`. A larger item makes a batch of its own. */
  maxSize: number;
  /** Every item counts as 1 unless this says otherwise. */
  sizeOf?: (item: Item) => number;
  /** How many batches may run at once. */
  maxInFlight: number;
  /** Handles the items together; results in their order. */
  run: (items: readonly Item[]) => Promise<readonly Result[]>;
  /**
   * What a failure means. `batch`: it concerns the whole batch, so all its items fail. `item`: one item may be at
   * fault, so each is tried alone. `outage`: waiting items would fail too, so they fail now instead of waiting for
   * a timeout each.
   */
  failureOf: (error: unknown) => 'batch' | 'item' | 'outage';
}>;

type Waiting<Item, Result> = Readonly<{
  item: Item;
  resolve: (result: Result) => void;
  reject: (error: unknown) => void;
}>;

/**
 * Collects items while earlier batches run, then runs them together, in order. An idle batcher adds no delay: the
 * first item leaves at the end of the current turn of the event loop.
 */
export function createBatcher<Item, Result>(
  options: BatcherOptions<Item, Result>,
): {
  submit: (item: Item) => Promise<Result>;
} {
  const { maxSize, sizeOf = () => 1, maxInFlight, run, failureOf } = options;
  const waiting: Waiting<Item, Result>[] = [];
  let inFlight = 0;
  let scheduled = false;

  function takeBatch(): readonly Waiting<Item, Result>[] {
    let size = 0;
    const end = waiting.findIndex(({ item }, index) => (size += sizeOf(item)) > maxSize && index > 0);
    return waiting.splice(0, end === -1 ? waiting.length : end);
  }

  async function runOne(entry: Waiting<Item, Result>): Promise<void> {
    try {
      const [result] = await run([entry.item]);
      entry.resolve(result as Result);
    } catch (error) {
      entry.reject(error);
    }
  }

  async function runBatch(batch: readonly Waiting<Item, Result>[]): Promise<void> {
    inFlight += 1;
    try {
      const results = await run(batch.map((entry) => entry.item));
      for (const [index, entry] of batch.entries()) entry.resolve(results[index] as Result);
    } catch (error) {
      const failure = failureOf(error);
      if (failure === 'item' && batch.length > 1) {
        for (const entry of batch) await runOne(entry);
      } else {
        const failed = failure === 'outage' ? [...batch, ...waiting.splice(0)] : batch;
        for (const entry of failed) entry.reject(error);
      }
    } finally {
      inFlight -= 1;
      schedule();
    }
  }

  function schedule(): void {
    if (scheduled || waiting.length === 0 || inFlight >= maxInFlight) return;
    scheduled = true;
    setImmediate(() => {
      scheduled = false;
      if (inFlight >= maxInFlight || waiting.length === 0) return;
      void runBatch(takeBatch());
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
