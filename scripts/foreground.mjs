import { spawn } from 'node:child_process';
import { constants } from 'node:os';

const PARENT_CHECK_MS = 250;

/**
 * Runs a program in the foreground with this process's input and output, passes signals on, and resolves with
 * its exit code (128 + n after a signal).
 *
 * On a terminal Ctrl-C reaches the whole process group, the child included, and npm sends its own child
 * a second SIGINT: so with a terminal SIGINT, like the SIGHUP of a closed terminal, is only waited out here
 * and the child sees it exactly once. Without one they come from `kill` to this process alone and are passed
 * on, once.
 *
 * npm signals only the shell between itself and this process, and that shell ends without a word: under npm
 * the loss of the parent counts as SIGTERM.
 * @param {string} program
 * @param {readonly string[]} args
 * @param {{ env?: NodeJS.ProcessEnv, cwd?: string }} [options]
 * @returns {Promise<number>}
 */
export function runInForeground(program, args, options = {}) {
  const hasTerminal = [process.stdin, process.stdout, process.stderr].some((stream) => stream.isTTY);
  return new Promise((resolve, reject) => {
    const child = spawn(program, args, { ...options, stdio: 'inherit' });
    const passedOn = new Set();
    /** @param {NodeJS.Signals} signal */
    const passOn = (signal) => {
      if (passedOn.has(signal) || (hasTerminal && signal !== 'SIGTERM')) return;
      passedOn.add(signal);
      child.kill(signal);
    };
    /** @type {NodeJS.Signals[]} */
    const signals = ['SIGINT', 'SIGTERM', 'SIGHUP'];
    for (const signal of signals) process.on(signal, passOn);
    const parent = process.ppid;
    const watch = setInterval(() => {
      if (process.ppid !== parent && process.env['npm_lifecycle_event'] !== undefined) passOn('SIGTERM');
    }, PARENT_CHECK_MS);
    const letGo = () => {
      clearInterval(watch);
      signals.forEach((signal) => process.off(signal, passOn));
    };
    child.on('error', (error) => {
      letGo();
      reject(error);
    });
    child.on('exit', (code, signal) => {
      letGo();
      resolve(code ?? 128 + (signal === null ? 0 : constants.signals[signal]));
    });
  });
}
