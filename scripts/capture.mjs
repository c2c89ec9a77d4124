import { spawn } from 'node:child_process';

/**
 * @typedef {object} Captured
 * @property {number} code exit code; 127 when the program does not exist, 128 when a signal ended it
 * @property {string} stdout
 * @property {string} stderr
 */

/**
 * Runs a program to its end and collects what it printed. Never rejects: a missing program is code 127.
 * @param {string} program
 * @param {readonly string[]} args
 * @param {import('node:child_process').SpawnOptions & { timeoutMs?: number }} [options]
 * @returns {Promise<Captured>}
 */
export function capture(program, args, { timeoutMs, ...options } = {}) {
  return new Promise((resolve) => {
    const child = spawn(program, args, {
      ...options,
      stdio: ['ignore', 'pipe', 'pipe'],
      ...(timeoutMs === undefined ? {} : { timeout: timeoutMs }),
    });
    let stdout = '';
    let stderr = '';
    child.stdout?.on('data', (chunk) => (stdout += chunk));
    child.stderr?.on('data', (chunk) => (stderr += chunk));
    child.on('error', (error) => resolve({ code: 127, stdout, stderr: error.message }));
    child.on('close', (code) => resolve({ code: code ?? 128, stdout, stderr }));
  });
}

/**
 * The last lines a program printed, on one line, for use inside a sentence.
 * @param {string} text
 * @param {number} [lineCount]
 */
export function lastLines(text, lineCount = 3) {
  return text.trim().split('\n').slice(-lineCount).join(' | ');
}
