// npm run test:upgrade [-- <tag or commit>]
// An upgrade under load from the release before: its services, built from its sources, run beside ours on our schema.
// Without an argument it is the newest tag v… before this commit. Without any tag there is nothing to compare with.
import { execFile } from 'node:child_process';
import { mkdtemp, rm, symlink } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { Failure, exitWithFailure, printProgress } from './failure.mjs';
import { runInForeground } from './foreground.mjs';

const root = fileURLToPath(new URL('..', import.meta.url));
const TEST = 'test/kubernetes/rolling-upgrade.e2e.test.ts';

/** @param {string[]} args */
const git = async (...args) => (await promisify(execFile)('git', args, { cwd: root })).stdout.trim();

async function main() {
  const [given] = process.argv.slice(2);
  const previous = given ?? (await newestTag());
  if (previous === undefined) {
    printProgress('There is no release before this one: nothing to test.');
    return 0;
  }
  const commit = await git('rev-parse', '--verify', `${previous}^{commit}`).catch(() => {
    throw new Failure(`There is no ${previous} in this repository; fetch it with \`git fetch --tags\`.`);
  });
  const folder = join(await mkdtemp(join(tmpdir(), 'factmill-previous-')), 'factmill');
  await git('worktree', 'add', '--quiet', '--detach', folder, commit);
  try {
    await symlink(join(root, '.toolchain'), join(folder, '.toolchain'));
    printProgress(`Building ${previous}…`);
    const built = await runInForeground(process.execPath, ['scripts/run.mjs', 'build'], { cwd: folder });
    if (built !== 0) return built;
    const env = { ...process.env, PREVIOUS_RELEASE: folder };
    // --selectProjects takes every name up to the next option.
    const jest = ['scripts/run.mjs', 'jest', '--selectProjects', 'e2e', '--maxWorkers=1', TEST];
    return await runInForeground(process.execPath, jest, { cwd: root, env });
  } finally {
    await git('worktree', 'remove', '--force', folder);
    await rm(join(folder, '..'), { recursive: true, force: true });
  }
}

/** @returns {Promise<string | undefined>} */
async function newestTag() {
  const tag = await git('describe', '--tags', '--abbrev=0', '--match=v*', 'HEAD^').catch(() => '');
  return tag === '' ? undefined : tag;
}

main().then((code) => process.exit(code), exitWithFailure);
