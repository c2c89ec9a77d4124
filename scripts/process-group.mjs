import { spawn } from 'node:child_process';
import { constants } from 'node:os';

const STOP_LIMIT_MS = 10_000;

/**
 * @typedef {object} ProcessGroup a program and all that it starts
 * @property {Promise<number>} exited the program's exit code; 128 + n after a signal
 * @property {(signal: NodeJS.Signals) => void} stop asks everything in the group to end, and makes it after 10 s
 * @property {() => boolean} endRest ends what is left after the program's exit; whether there was anything
 * @property {import('node:child_process').ChildProcess} child
 */

/**
 * Starts a program in a process group of its own, so that it can be ended with everything it started.
 * @param {string} program
 * @param {readonly string[]} args
 * @param {import('node:child_process').SpawnOptions} options
 * @returns {ProcessGroup}
 */
export function startProcessGroup(program, args, options) {
  const child = spawn(program, args, { ...options, detached: true });
  /** @param {NodeJS.Signals} signal */
  const signalAll = (signal) => {
    try {
      return child.pid !== undefined && process.kill(-child.pid, signal);
    } catch {
      return false; // Nothing is left.
    }
  };
  /** @type {Promise<number>} */
  const exited = new Promise((resolve) => {
    child.on('error', () => resolve(127));
    child.on('exit', (code, signal) =>
      resolve(code ?? 128 + (signal === null ? 0 : constants.signals[signal])),
    );
  });
  return {
    child,
    exited,
    stop(signal) {
      signalAll(signal);
      const force = setTimeout(() => signalAll('SIGKILL'), STOP_LIMIT_MS);
      void exited.then(() => clearTimeout(force));
    },
    endRest: () => signalAll('SIGKILL'),
  };
}
