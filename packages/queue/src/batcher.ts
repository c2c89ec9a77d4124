export type Batcher<T> = Readonly<{
  /** Resolves once all items have been sent, rejects with the error of the send that failed. */
  add: (items: readonly T[]) => Promise<void>;
}>;

type Call<T> = { items: readonly T[]; resolve: () => void; reject: (error: unknown) => void };

/**
 * Sends the items of concurrent calls together: one send at a time, of what came in during the same turn of the
 * event loop or while the previous send was on its way. So the more requests arrive, the fewer round trips each
 * costs. Calls are sent in order and never split over two sends unless one alone exceeds `maxItems`.
 *
 * When a send fails, the calls that wait behind it fail with it: they would meet the same outage, and must not
 * wait for the timeouts of others before their own.
 */
export function createBatcher<T>(options: {
  maxItems: number;
  send: (items: readonly T[]) => Promise<unknown>;
}): Batcher<T> {
  const { maxItems, send } = options;
  let waiting: Call<T>[] = [];
  let sending = false;

  const takeBatch = (): Call<T>[] => {
    let size = 0;
    let count = 0;
    for (const call of waiting) {
      if (count > 0 && size + call.items.length > maxItems) break;
      size += call.items.length;
      count += 1;
    }
    return waiting.splice(0, count);
  };

  const sendBatch = async (batch: readonly Call<T>[]): Promise<void> => {
    const items = batch.flatMap((call) => call.items);
    for (let start = 0; start < items.length; start += maxItems) {
      await send(items.slice(start, start + maxItems));
    }
  };

  const drain = async (): Promise<void> => {
    while (waiting.length > 0) {
      const batch = takeBatch();
      try {
        await sendBatch(batch);
        for (const call of batch) call.resolve();
      } catch (error) {
        const behind = waiting;
        waiting = [];
        for (const call of [...batch, ...behind]) call.reject(error);
      }
    }
    sending = false;
  };

  const add = (items: readonly T[]): Promise<void> =>
    new Promise<void>((resolve, reject) => {
      waiting.push({ items, resolve, reject });
      if (sending) return;
      sending = true;
      setImmediate(() => void drain());
    });

  return { add };
}
