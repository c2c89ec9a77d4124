import { AppError, type ErrorCode } from '@factmill/errors';
import type { LoadFailure } from '@factmill/onnx';
import { createBatchQueue, type WorkerTask } from './batch-queue.ts';

/** A worker's answer: all numbers of a batch in one array, or the name of the error. */
export type WorkerReply =
  | Readonly<{ id: number; packed: Float32Array<ArrayBuffer> }>
  | Readonly<{ id: number; failure: string; load?: LoadFailure }>;

export type ModelWorker = Readonly<{
  /**
   * The numbers of one batch. Batches run one at a time. One that the signal aborts is not started; one that runs
   * already runs on, but its promise rejects.
   */
  run: (texts: readonly string[], signal?: AbortSignal) => Promise<Float32Array>;
  /** Starts the worker and resolves when its model is loaded; at once when it already is. */
  load: () => Promise<void>;
  isLoaded: () => boolean;
  close: () => Promise<void>;
}>;

/** A program that runs, in a thread (`inThread`) or in a process of its own (`inProcess`). */
type RunningWorker = Readonly<{
  send: (task: WorkerTask) => void;
  /** Keeps this process alive. */
  ref: () => void;
  unref: () => void;
  /** Ends it, in the middle of a batch too. */
  end: () => Promise<void>;
}>;

export type StartWorker = (
  on: Readonly<{ onReply: (reply: WorkerReply) => void; onEnd: (cause: unknown) => void }>,
) => RunningWorker;

type ModelWorkerOptions = Readonly<{
  start: StartWorker;
  /** The texts that `load` runs. */
  warmUp: readonly string[];
  /** How messages call the model, as the subject of a sentence. */
  name: string;
  /** Of the errors when the worker died or could not run a batch. */
  code: ErrorCode;
  /** The error when the model cannot be loaded, for workers that say why. */
  toLoadError?: (failure: LoadFailure) => AppError;
}>;

/**
 * A model in a worker.
 *
 * It starts with the first batch and keeps the process alive only while a batch runs. When it dies, waiting batches
 * are rejected with the code of the options and the next one starts a new worker. After `close` everything is rejected
 * with `shutting_down`.
 */
export function createModelWorker(options: ModelWorkerOptions): ModelWorker {
  const { name, code } = options;
  const queue = createBatchQueue();
  let worker: RunningWorker | undefined;
  let closed = false;
  let loading: Promise<void> | undefined;
  let loaded = false;

  const start = (): RunningWorker => {
    const started = options.start({
      onReply: (reply) => {
        if (worker === started) settle(reply);
      },
      onEnd: (cause) => {
        if (worker !== started) return;
        worker = undefined;
        loading = undefined;
        loaded = false;
        queue.rejectAll(new AppError(code, `${name} stopped. The next call starts it again.`, { cause }));
      },
    });
    return started;
  };

  const settle = (reply: WorkerReply): void => {
    const batch = queue.takeFirst();
    sendFirst();
    if (batch?.task.id !== reply.id) return;
    if ('packed' in reply) batch.resolve(reply.packed);
    else batch.reject(toError(reply));
  };

  const toError = ({ failure, load }: Extract<WorkerReply, { failure: string }>): AppError =>
    load !== undefined && options.toLoadError !== undefined
      ? options.toLoadError(load)
      : new AppError(code, `${name} could not read a text.`, { cause: new Error(failure) });

  const sendFirst = (): void => {
    const task = queue.first();
    if (task === undefined) return worker?.unref();
    worker ??= start();
    worker.ref();
    worker.send(task);
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
      const ending = worker;
      worker = undefined;
      queue.rejectAll(closedError(name));
      await ending?.end();
    },
  };
}

function closedError(name: string): AppError {
  return new AppError('shutting_down', `${name} is closed.`);
}
