// Types, lint and format of the whole workspace. Exit code 1 when any of them fails.
import { fileURLToPath } from 'node:url';
import { runChecks } from './check-tasks.mjs';
import { exitWithFailure } from './failure.mjs';

async function main() {
  /** @type {import('./process-group.mjs').ProcessGroup[]} */
  const groups = [];
  for (const signal of /** @type {const} */ (['SIGINT', 'SIGTERM', 'SIGHUP'])) {
    process.on(signal, () => {
      groups.forEach((group) => group.stop('SIGTERM'));
      process.exit(130);
    });
  }
  const failed = await runChecks({
    root: fileURLToPath(new URL('..', import.meta.url)),
    print: (text) => process.stdout.write(text),
    onStart: (group) => groups.push(group),
  });
  process.stdout.write(failed.length === 0 ? 'check passed\n' : `check failed: ${failed.join(', ')}\n`);
  return failed.length === 0 ? 0 : 1;
}

main().then((code) => process.exit(code), exitWithFailure);
