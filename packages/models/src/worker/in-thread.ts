import { Worker, type ResourceLimits } from 'node:worker_threads';
import type { StartWorker } from './model-worker.ts';

type ThreadOptions = Readonly<{ file: string; resourceLimits: ResourceLimits }>;

/** Runs a model's program in a thread of this process. Only for programs without native code; see `inProcess`. */
export function inThread({ file, resourceLimits }: ThreadOptions): StartWorker {
  return ({ onReply, onEnd }) => {
    const thread = new Worker(file, { env: {}, resourceLimits, name: 'model' });
    thread.on('error', onEnd);
    thread.on('messageerror', onEnd);
    thread.on('exit', () => onEnd(undefined));
    thread.on('message', onReply);
    return {
      send: (task) => thread.postMessage(task, []),
      ref: () => thread.ref(),
      unref: () => thread.unref(),
      end: async () => {
        await thread.terminate();
      },
    };
  };
}
