import { fork } from 'node:child_process';
import { once } from 'node:events';
import type { StartWorker, WorkerReply } from './model-worker.ts';

type ProcessOptions = Readonly<{
  file: string;
  /** The program's only argument, as JSON. */
  argument: unknown;
  maxHeapMb: number;
}>;

/**
 * Runs a model's program in a process of its own. Native code may abort its process, for instance when a thread is
 * ended in the middle of a call; here it takes nothing else with it.
 */
export function inProcess({ file, argument, maxHeapMb }: ProcessOptions): StartWorker {
  return ({ onReply, onEnd }) => {
    const child = fork(file, [JSON.stringify(argument)], {
      env: {},
      execArgv: [`--max-old-space-size=${maxHeapMb}`],
      serialization: 'advanced',
      // What native libraries print may quote a text.
      stdio: ['ignore', 'ignore', 'ignore', 'ipc'],
    });
    child.on('error', onEnd);
    child.on('exit', (code, signal) => onEnd(new Error(`ended with ${signal ?? `code ${code}`}`)));
    child.on('message', (reply) => onReply(reply as WorkerReply));
    return {
      send: (task) => {
        child.send(task, (error) => {
          if (error) onEnd(error);
        });
      },
      ref: () => {
        child.ref();
        child.channel?.ref();
      },
      unref: () => {
        child.unref();
        child.channel?.unref();
      },
      end: async () => {
        if (child.exitCode !== null || child.signalCode !== null || child.pid === undefined) return;
        const ended = once(child, 'exit');
        child.ref();
        child.kill('SIGKILL');
        await ended;
      },
    };
  };
}
