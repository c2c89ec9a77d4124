import { spawn } from 'node:child_process';
import { open, readFile } from 'node:fs/promises';
import { lastLines } from '../capture.mjs';
import { Failure } from '../failure.mjs';
import { findFreePort, waitUntil } from './readiness.mjs';

/** A port can be taken between choosing and binding it; another one is tried this often. */
const PORT_ATTEMPTS = 3;
const START_LIMIT_MS = 30_000;
const STOP_LIMIT_MS = 10_000;

/**
 * @typedef {object} RunningServer
 * @property {number} port
 * @property {() => Promise<void>} stop resolves when the process is gone
 */

/**
 * Starts a server on a free port of 127.0.0.1 and resolves when it answers.
 * @param {object} server
 * @param {string} server.name for the sentence when it does not start
 * @param {string} server.program
 * @param {(port: number) => string[]} server.toArgs
 * @param {string} server.logFile
 * @param {(port: number) => Promise<boolean>} server.isReady
 * @param {NodeJS.Signals} server.stopSignal asks for a fast orderly end
 * @param {import('node:child_process').SpawnOptions} server.options
 * @returns {Promise<RunningServer>}
 */
export async function startServer({ name, program, toArgs, logFile, isReady, stopSignal, options }) {
  for (let attempt = 1; ; attempt += 1) {
    const port = await findFreePort();
    const log = await open(logFile, 'w');
    const child = spawn(program, toArgs(port), { ...options, stdio: ['ignore', log.fd, log.fd] });
    let isOver = false;
    const over = new Promise((resolve) => {
      child.on('error', resolve);
      child.on('exit', resolve);
    }).then(() => (isOver = true));
    await log.close();

    const stop = async () => {
      if (isOver) return;
      child.kill(stopSignal);
      const force = setTimeout(() => child.kill('SIGKILL'), STOP_LIMIT_MS);
      await over;
      clearTimeout(force);
    };
    if (await waitUntil(() => isReady(port), { limitMs: START_LIMIT_MS, isOver: () => isOver }))
      return { port, stop };
    await stop();
    if (attempt === PORT_ATTEMPTS) {
      throw new Failure(`${name} did not start: ${lastLines(await readFile(logFile, 'utf8'))}`);
    }
  }
}
