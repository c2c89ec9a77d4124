import { KNIP, OXLINT, PRETTIER, TSC } from './commands.mjs';
import { startProcessGroup } from './process-group.mjs';

/** Each in Node, with its arguments. The longest first: two run at a time. */
const TASKS = [
  { name: 'types', args: [TSC, '-b'] },
  { name: 'lint', args: [OXLINT, '--type-aware', '--deny-warnings'] },
  { name: 'format', args: [PRETTIER, '--check', '--log-level=warn', '.'] },
  { name: 'types of tests', args: [TSC, '-p', 'tsconfig.tests.json'] },
  { name: 'packages', args: ['scripts/check-packages.mjs'] },
  // Exports, files and dependencies that nothing uses.
  { name: 'unused', args: [KNIP, '--no-progress', '--no-config-hints'] },
  { name: 'links', args: ['scripts/check-links.mjs'] },
  { name: 'types of scripts', args: [TSC, '-p', 'scripts'] },
];
const TASKS_AT_ONCE = 2;

/**
 * Runs all checks, also when one fails, and prints what the failing ones say.
 * @param {{ root: string, print: (text: string) => void, onStart?: (group: import('./process-group.mjs').ProcessGroup) => void }} deps
 * @returns {Promise<string[]>} the names of those that failed
 */
export async function runChecks({ root, print, onStart }) {
  const queue = [...TASKS];
  /** @type {string[]} */
  const failed = [];
  const work = async () => {
    for (let task = queue.shift(); task !== undefined; task = queue.shift()) {
      const startedMs = performance.now();
      const group = startProcessGroup(process.execPath, task.args, {
        cwd: root,
        stdio: ['ignore', 'pipe', 'pipe'],
      });
      onStart?.(group);
      let output = '';
      for (const stream of [group.child.stdout, group.child.stderr])
        stream?.on('data', (chunk) => (output += chunk));
      const closed = new Promise((resolve) => group.child.on('close', resolve).on('error', resolve));
      const code = await group.exited;
      await closed;
      const seconds = ((performance.now() - startedMs) / 1000).toFixed(1);
      print(`check: ${task.name} ${code === 0 ? 'passed' : 'FAILED'} (${seconds} s)\n`);
      if (code === 0) continue;
      print(output.endsWith('\n') ? output : `${output}\n`);
      failed.push(task.name);
    }
  };
  await Promise.all(Array.from({ length: TASKS_AT_ONCE }, work));
  return failed;
}
