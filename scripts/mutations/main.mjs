// node scripts/mutations/main.mjs [word…], with Postgres and Redis at hand: npm run test:mutations [-- word…]
// Breaks the code in one place at a time and runs the tests that have to notice; with words, only the mutations whose
// name or file has all of them. The file is written back after each. Takes minutes, so it runs on demand. Ends with
// `N killed, N survived`.
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { capture } from '../capture.mjs';
import { JEST } from '../commands.mjs';
import { Failure, exitWithFailure, printProgress } from '../failure.mjs';
import { MUTATIONS } from './list.mjs';
import { mutate } from './mutation.mjs';

const root = fileURLToPath(new URL('../..', import.meta.url));
/** Far above what any of the tests takes: a mutation that makes them hang is noticed too. */
const TIME_LIMIT_MS = 600_000;

async function main() {
  const words = process.argv.slice(2);
  const chosen = MUTATIONS.filter(({ name, file }) =>
    words.every((word) => name.includes(word) || file.includes(word)),
  );
  if (chosen.length === 0) throw new Failure('No mutation has all of these words in its name or file.');
  await assertCommitted([...new Set(chosen.map(({ file }) => file))]);
  const tests = [...new Set(chosen.flatMap((mutation) => mutation.tests))];
  printProgress(`${chosen.length} mutations; first their ${tests.length} tests without any`);
  if (!(await passes(tests))) throw new Failure('The tests fail without any mutation.');

  const survivors = [];
  for (const mutation of chosen) {
    const killed = await isKilled(mutation);
    printProgress(`${killed ? 'killed  ' : 'SURVIVED'} ${mutation.name}`);
    if (!killed) survivors.push(mutation);
  }
  process.stdout.write(`${chosen.length - survivors.length} killed, ${survivors.length} survived\n`);
  return survivors.length === 0 ? 0 : 1;
}

/** @param {import('./mutation.mjs').Mutation} mutation */
async function isKilled(mutation) {
  const path = join(root, mutation.file);
  const original = readFileSync(path, 'utf8');
  const restore = () => writeFileSync(path, original);
  const onSignal = () => {
    restore();
    process.exit(1);
  };
  process.on('SIGINT', onSignal).on('SIGTERM', onSignal);
  try {
    writeFileSync(path, mutate(original, mutation));
    return !(await passes(mutation.tests));
  } finally {
    restore();
    process.off('SIGINT', onSignal).off('SIGTERM', onSignal);
  }
}

/** @param {readonly string[]} tests */
async function passes(tests) {
  const args = ['--selectProjects', 'unit', 'integration', 'e2e', '--maxWorkers=1', '--bail', ...tests];
  const { code } = await capture(process.execPath, [...JEST, ...args], {
    cwd: root,
    timeoutMs: TIME_LIMIT_MS,
  });
  return code === 0;
}

/**
 * What is lost when this process is killed is then in git.
 * @param {readonly string[]} files
 */
async function assertCommitted(files) {
  const { code } = await capture('git', ['diff', '--quiet', 'HEAD', '--', ...files], { cwd: root });
  if (code !== 0)
    throw new Failure('Some of the files have changes; commit them first: they are edited and written back.');
}

main().then((code) => process.exit(code), exitWithFailure);
