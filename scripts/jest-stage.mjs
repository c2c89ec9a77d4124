import { readFile, stat } from 'node:fs/promises';
import { JEST } from './commands.mjs';
import { startProcessGroup } from './process-group.mjs';
import { toCounts } from './test-summary.mjs';

/** Jest ends within a second of its report; one that does not is held by a handle a test left open. */
const EXIT_LIMIT_MS = 20_000;

/**
 * Runs some of Jest's projects and counts their tests.
 * @param {object} stage
 * @param {string} stage.root
 * @param {readonly string[]} stage.projects
 * @param {readonly string[]} stage.args further arguments of Jest
 * @param {NodeJS.ProcessEnv} stage.env
 * @param {string} stage.reportFile where Jest writes its report; must not exist yet
 * @param {(line: string) => void} stage.log
 * @param {(group: import('./process-group.mjs').ProcessGroup) => void} stage.onStart
 * @returns {Promise<import('./test-summary.mjs').Counts>}
 */
export async function runJestStage({ root, projects, args, env, reportFile, log, onStart }) {
  const group = startProcessGroup(
    process.execPath,
    [
      ...JEST,
      '--selectProjects',
      ...projects,
      '--passWithNoTests',
      '--json',
      `--outputFile=${reportFile}`,
      ...args,
    ],
    { cwd: root, env, stdio: ['ignore', 'ignore', 'inherit'] },
  );
  onStart(group);

  let hangs = false;
  /** @type {NodeJS.Timeout | undefined} */
  let exitLimit;
  const watch = setInterval(async () => {
    if (exitLimit !== undefined || !(await isWritten(reportFile))) return;
    exitLimit ??= setTimeout(() => {
      hangs = true;
      group.stop('SIGTERM');
    }, EXIT_LIMIT_MS);
  }, 1_000);
  const exitCode = await group.exited;
  clearInterval(watch);
  clearTimeout(exitLimit);

  if (hangs) log('FAILED: a test left a handle open, so Jest did not end by itself.');
  if (group.endRest()) log('Tests left processes running; they were ended.');
  return toCounts(await readReport(reportFile), hangs ? 1 : exitCode);
}

/** @param {string} file */
async function isWritten(file) {
  return stat(file).then(
    ({ size }) => size > 0,
    () => false,
  );
}

/**
 * @param {string} file
 * @returns {Promise<unknown>}
 */
async function readReport(file) {
  try {
    return JSON.parse(await readFile(file, 'utf8'));
  } catch {
    return undefined;
  }
}
