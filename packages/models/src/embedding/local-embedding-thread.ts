import { extname } from 'node:path';
import { fileURLToPath } from 'node:url';
import { Worker } from 'node:worker_threads';
import { AppError } from '@factmill/errors';

/** One batch for the thread. */
export type EmbedTask = Readonly<{ id: number; texts: readonly string[] }>;

/** Its answer: all vectors in one array, or the name of the error. */
export type EmbedReply =
  Readonly<{ id: number; packed: Float32Array<ArrayBuffer> }> | Readonly<{ id: number; failure: string }>;

export type EmbeddingThread = Readonly<{
  /**
   * Vectors of one batch. Batches run one at a time, in the order of the calls; a single text, which is mostly a
   * waiting search's query, goes before batches of several.
   */
  run: (texts: readonly string[]) => Promise<Float32Array>;
  /** Starts the thread and resolves when its model is loaded; at once when it already is. */
  load: () => Promise<void>;
  isLoaded: () => boolean;
  close: () => Promise<void>;
}>;

type Pending = Readonly<{
  task: EmbedTask;
  /** How many later single texts went before this batch. */
  passedOver: { times: number };
  resolve: (packed: Float32Array) => void;
  reject: (error: AppError) => void;
}>;

/** After this many, the batch goes first, so that new memories get vectors while searches never pause. */
const MAX_PASSED_OVER = 8;

/**
 * Without limits the heap of the model's thread grew from 29 to 171 MB before V8 collected garbage. With them the
 * process grows by 125 MB when the model is loaded, by 26 MB over the next 200 calls, and by 4 MB over 1,800 more;
 * the number of tensors stays the same. Weights and tensors are outside the limits.
 */
const RESOURCE_LIMITS = { maxOldGenerationSizeMb: 192, maxYoungGenerationSizeMb: 8 };

/**
 * A worker thread with the local embedding model.
 *
 * It starts with the first batch and keeps the process alive only while a batch runs. When it dies, waiting batches
 * are rejected with `embedding_unavailable` and the next one starts a new thread. After `close` everything is
 * rejected with `shutting_down`.
 */
export function createEmbeddingThread(
  workerFile: string = siblingFile('local-embedding-worker'),
): EmbeddingThread {
  let worker: Worker | undefined;
  let nextId = 1;
  let closed = false;
  let loading: Promise<void> | undefined;
  let loaded = false;
  const pending: Pending[] = [];

  const rejectAll = (error: AppError): void => {
    for (const { reject } of pending.splice(0)) reject(error);
  };

  const start = (): Worker => {
    const thread = new Worker(workerFile, { env: {}, resourceLimits: RESOURCE_LIMITS });
    const fail = (cause: unknown): void => {
      if (worker !== thread) return;
      worker = undefined;
      loading = undefined;
      loaded = false;
      rejectAll(
        new AppError(
          'embedding_unavailable',
          'The local embedding model stopped. The next call starts it again.',
          {
            cause,
          },
        ),
      );
    };
    thread.on('error', fail);
    thread.on('messageerror', fail);
    thread.on('exit', () => fail(undefined));
    thread.on('message', (reply: EmbedReply) => {
      if (worker === thread) settle(reply);
    });
    return thread;
  };

  const settle = (reply: EmbedReply): void => {
    const current = pending.shift();
    if (pending.length === 0) worker?.unref();
    else sendNext();
    if (!current || current.task.id !== reply.id) return;
    if ('packed' in reply) return current.resolve(reply.packed);
    current.reject(
      new AppError('embedding_unavailable', 'The local embedding model could not embed a text.', {
        cause: new Error(reply.failure),
      }),
    );
  };

  /** The position of a new batch. The first of the list is running. */
  const placeOf = (texts: readonly string[]): number => {
    if (texts.length > 1) return pending.length;
    const behind = pending.findIndex(
      ({ task, passedOver }, index) =>
        index > 0 && task.texts.length > 1 && passedOver.times < MAX_PASSED_OVER,
    );
    return behind === -1 ? pending.length : behind;
  };

  /** Sends the first pending batch to the thread. Called when the list becomes non-empty or its head changes. */
  const sendNext = (): void => {
    const head = pending[0];
    if (!head) return;
    worker ??= start();
    worker.ref();
    worker.postMessage(head.task, []);
  };

  const run = (texts: readonly string[]): Promise<Float32Array> =>
    new Promise((resolve, reject) => {
      if (closed) return reject(closedError());
      const place = placeOf(texts);
      for (const { passedOver } of pending.slice(place)) passedOver.times += 1;
      pending.splice(place, 0, { task: { id: nextId, texts }, passedOver: { times: 0 }, resolve, reject });
      nextId += 1;
      if (pending.length === 1) sendNext();
    });

  /** The model answers its first batch after it has loaded and compiled. */
  const loadOnce = async (): Promise<void> => {
    try {
      await run(['load']);
      loaded = true;
    } catch (error) {
      loading = undefined;
      throw error;
    }
  };

  return {
    run,
    load: () => (loading ??= loadOnce()),
    isLoaded: () => loaded,
    close: async () => {
      closed = true;
      const thread = worker;
      worker = undefined;
      rejectAll(closedError());
      await thread?.terminate();
    },
  };
}

function closedError(): AppError {
  return new AppError('shutting_down', 'The local embedding model is closed.');
}

/** The module beside this one, in the same form: `.ts` from sources, `.js` from a build. */
function siblingFile(name: string): string {
  const self = fileURLToPath(import.meta.url);
  return fileURLToPath(new URL(`${name}${extname(self)}`, import.meta.url));
}
