/** One batch for a worker. */
export type WorkerTask = Readonly<{ id: number; texts: readonly string[] }>;

type Batch = Readonly<{
  task: WorkerTask;
  /** How many later single texts went before this batch. */
  passedOver: { times: number };
  resolve: (packed: Float32Array) => void;
  reject: (reason: unknown) => void;
}>;

export type BatchQueue = Readonly<{
  /**
   * Adds a batch; the promise settles with it. One whose signal fires leaves the queue, unless it is the first, which
   * runs already; its promise rejects at once in both cases.
   */
  add: (texts: readonly string[], signal?: AbortSignal) => Promise<Float32Array>;
  /** The batch that runs, or is to run now. */
  first: () => WorkerTask | undefined;
  /** Takes the first batch out, to be settled by the caller. */
  takeFirst: () => Batch | undefined;
  rejectAll: (error: Error) => void;
}>;

/** After this many, the batch goes first, so that new memories get vectors while searches never pause. */
const MAX_PASSED_OVER = 8;

/**
 * The batches of one worker, in the order in which they run: that of the calls, but a single text, which is mostly a
 * waiting search's query, goes before batches of several.
 */
export function createBatchQueue(): BatchQueue {
  const batches: Batch[] = [];
  let nextId = 1;

  /** The position of a new batch. The first of the list is running. */
  const placeOf = (texts: readonly string[]): number => {
    if (texts.length > 1) return batches.length;
    const behind = batches.findIndex(
      ({ task, passedOver }, index) =>
        index > 0 && task.texts.length > 1 && passedOver.times < MAX_PASSED_OVER,
    );
    return behind === -1 ? batches.length : behind;
  };

  const insert = (batch: Batch): void => {
    const place = placeOf(batch.task.texts);
    for (const { passedOver } of batches.slice(place)) passedOver.times += 1;
    batches.splice(place, 0, batch);
  };

  return {
    add: (texts, signal) => {
      const { promise, resolve, reject } = Promise.withResolvers<Float32Array>();
      const batch: Batch = { task: { id: nextId, texts }, passedOver: { times: 0 }, resolve, reject };
      nextId += 1;
      insert(batch);
      if (signal === undefined) return promise;
      const leave = (): void => {
        const place = batches.indexOf(batch);
        if (place > 0) batches.splice(place, 1);
        reject(signal.reason);
      };
      signal.addEventListener('abort', leave, { once: true });
      return promise.finally(() => signal.removeEventListener('abort', leave));
    },
    first: () => batches[0]?.task,
    takeFirst: () => batches.shift(),
    rejectAll: (error) => {
      for (const { reject } of batches.splice(0)) reject(error);
    },
  };
}
