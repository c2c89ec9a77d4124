// node scripts/run.mjs <command> [args…]
// The way in from a fresh clone: brings a fitting Node and pnpm if the machine lacks them, installs the
// dependencies if they changed, and runs the command. It has no dependencies and runs on Node 18.
import { dirname, delimiter, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { BUILD_CONSOLE, commandNames, toInstallKind, toNodeArguments, usesConsole } from './commands.mjs';
import { Failure, exitWithFailure, printProgress } from './failure.mjs';
import { runInForeground } from './foreground.mjs';
import { ensureDependencies } from './toolchain/install.mjs';
import { ensureNode } from './toolchain/toolchain.mjs';

async function main() {
  const [name, ...args] = process.argv.slice(2);
  const nodeArguments = toNodeArguments(name, args);
  if (nodeArguments === undefined)
    throw new Failure(`Usage: node scripts/run.mjs ${commandNames.join('|')} [args…]`);
  if (process.platform !== 'linux' && process.platform !== 'darwin') {
    throw new Failure('These commands run on Linux and macOS; on Windows use WSL, or the Docker images.');
  }
  const root = fileURLToPath(new URL('..', import.meta.url));
  const toolchain = join(root, '.toolchain');
  const node = await ensureNode(toolchain, printProgress);
  const path = [dirname(node.path), join(root, 'node_modules', '.bin'), process.env['PATH'] ?? ''];
  const environment = {
    // Compiled code, and TypeScript without its types: a program that was run before starts in half the time.
    NODE_COMPILE_CACHE: join(root, 'node_modules', '.cache', 'compile'),
    ...process.env,
    NODE: node.path,
    PATH: path.join(delimiter),
  };
  const kind = toInstallKind(name);
  await ensureDependencies({ root, toolchain, node, environment, log: printProgress, kind });
  if (usesConsole(name)) {
    const code = await runInForeground(node.path, BUILD_CONSOLE, { cwd: root, env: environment });
    if (code > 128) return code;
    // Everything but the console works without it.
    if (code !== 0) printProgress('The console could not be built and is not served; the reason is above.');
  }
  return runInForeground(node.path, nodeArguments, { cwd: root, env: environment });
}

main().then((code) => process.exit(code), exitWithFailure);
