import { Worker, type ResourceLimits } from 'node:worker_threads';
import { AppError, type ErrorCode } from '@factmill/errors';
import type { LoadFailure } from '@factmill/onnx';
import { createBatchQueue } from './batch-queue.ts';

/** A thread's answer: all numbers of a batch in one array, or the name of the error. */
export type ThreadReply =
  | Readonly<{ id: number; packed: Float32Array<ArrayBuffer> }>
  | Readonly<{ id: number; failure: string; load?: LoadFailure }>;

export type ModelThread = Readonly<{
  /**
   * The numbers of one batch. Batches run one at a time. One that the signal aborts is not started; one that runs
   * already runs on, but its promise rejects.
   */
  run: (texts: readonly string[], signal?: AbortSignal) => Promise<Float32Array>;
  /** Starts the thread and resolves when its model is loaded; at once when it already is. */
  load: () => Promise<void>;
  isLoaded: () => boolean;
  close: () => Promise<void>;
}>;

type ModelThreadOptions = Readonly<{
  workerFile: string;
  workerData?: unknown;
  resourceLimits: ResourceLimits;
  /** The texts that `load` runs. */
  warmUp: readonly string[];
  /** How messages call the model, as the subject of a sentence. */
  name: string;
  /** Of the errors when the thread died or could not run a batch. */
  code: ErrorCode;
  /** The error when the model cannot be loaded, for threads that say why. */
  toLoadError?: (failure: LoadFailure) => AppError;
}>;

/**
 * A worker thread with a model.
 *
 * It starts with the first batch and keeps the process alive only while a batch runs. When it dies, waiting batches
 * are rejected with the code of the options and the next one starts a new thread. After `close` everything is rejected
 * with `shutting_down`.
 */
export function createModelThread(options: ModelThreadOptions): ModelThread {
  const { name, code } = options;
  const queue = createBatchQueue();
  let worker: Worker | undefined;
  let closed = false;
  let loading: Promise<void> | undefined;
  let loaded = false;

  const start = (): Worker => {
    const { workerFile, workerData, resourceLimits } = options;
    const thread = new Worker(workerFile, { env: {}, workerData, resourceLimits, name: 'model' });
    const fail = (cause: unknown): void => {
      if (worker !== thread) return;
      worker = undefined;
      loading = undefined;
      loaded = false;
      queue.rejectAll(new AppError(code, `${name} stopped. The next call starts it again.`, { cause }));
    };
    thread.on('error', fail);
    thread.on('messageerror', fail);
    thread.on('exit', () => fail(undefined));
    thread.on('message', (reply: ThreadReply) => {
      if (worker === thread) settle(reply);
    });
    return thread;
  };

  const settle = (reply: ThreadReply): void => {
    const batch = queue.takeFirst();
    if (queue.first() === undefined) worker?.unref();
    else sendFirst();
    if (batch?.task.id !== reply.id) return;
    if ('packed' in reply) batch.resolve(reply.packed);
    else batch.reject(toError(reply));
  };

  const toError = ({ failure, load }: Extract<ThreadReply, { failure: string }>): AppError =>
    load !== undefined && options.toLoadError !== undefined
      ? options.toLoadError(load)
      : new AppError(code, `${name} could not read a text.`, { cause: new Error(failure) });

  const sendFirst = (): void => {
    worker ??= start();
    worker.ref();
    worker.postMessage(queue.first(), []);
  };

  const run = async (texts: readonly string[], signal?: AbortSignal): Promise<Float32Array> => {
    if (closed) throw closedError(name);
    signal?.throwIfAborted();
    const wasIdle = queue.first() === undefined;
    const result = queue.add(texts, signal);
    if (wasIdle) sendFirst();
    return result;
  };

  /** The model answers its first batch after it has loaded and compiled. */
  const loadOnce = async (): Promise<void> => {
    try {
      await run(options.warmUp);
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
      queue.rejectAll(closedError(name));
      await thread?.terminate();
    },
  };
}

function closedError(name: string): AppError {
  return new AppError('shutting_down', `${name} is closed.`);
}
