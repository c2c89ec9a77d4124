export const TSC = 'node_modules/typescript/bin/tsc';
export const PRETTIER = 'node_modules/prettier/bin/prettier.cjs';
export const OXLINT = 'node_modules/oxlint/bin/oxlint';
export const KNIP = 'node_modules/knip/bin/knip.js';

/** Jest needs this flag to run the sources as the ES modules they are; its workers inherit it. */
export const JEST = [
  '--experimental-vm-modules',
  '--disable-warning=ExperimentalWarning',
  'node_modules/jest/bin/jest.js',
];

/** Node's flags for running the TypeScript sources of the workspace as they are. */
const FROM_SOURCE = ['--conditions=factmill-source', '--disable-warning=ExperimentalWarning'];

/**
 * Node's flags for everything in one process. Three heaps with young generations of Node's own size take 30 MB more when
 * idle, and 60 MB more after use.
 */
const STANDALONE = ['--max-semi-space-size=16'];

/** Node's flags for running a command with Postgres and Redis at hand. */
const WITH_SERVICES = ['scripts/services/main.mjs'];

/**
 * What `node scripts/run.mjs <command> [args…]` runs: arguments of Node, without and with those of the user.
 * @type {Record<string, (args: readonly string[]) => string[]>}
 */
const COMMANDS = {
  start: (args) => [...FROM_SOURCE, ...STANDALONE, 'services/standalone/src/main.ts', ...args],
  factmill: (args) => [...FROM_SOURCE, 'packages/cli/src/main.ts', ...args],
  'install:onnx': (args) => [...FROM_SOURCE, 'packages/cli/src/main.ts', 'models', ...args],
  demo: (args) => [...FROM_SOURCE, 'services/standalone/src/demo.ts', ...args],
  test: (args) => ['scripts/test.mjs', ...args],
  'test:faults': (args) => ['scripts/test.mjs', '--only-faults', ...args],
  'test:chart': (args) => ['scripts/test.mjs', '--only-chart', ...args],
  'test:upgrade': (args) => ['scripts/test-upgrade.mjs', ...args],
  'test:mutations': (args) => [...WITH_SERVICES, '--', 'node', 'scripts/mutations/main.mjs', ...args],
  jest: (args) => [...WITH_SERVICES, '--', 'node', ...JEST, ...args],
  bench: (args) => [
    ...WITH_SERVICES,
    '--durable',
    '--',
    'node',
    ...FROM_SOURCE,
    'bench/src/main.ts',
    ...args,
  ],
  check: (args) => ['scripts/check.mjs', ...args],
  reference: (args) => [...FROM_SOURCE, 'packages/config/src/reference/write-reference.ts', ...args],
  chart: (args) => ['scripts/chart/write-manifests.mjs', ...args],
  screenshots: () => [...FROM_SOURCE, 'test/console/take-screenshots.ts'],
  format: (args) => [PRETTIER, '--write', ...(args.length === 0 ? ['.'] : args)],
  build: (args) => [TSC, '-b', ...args],
};

/** What builds the console, unless it was built from the same sources before. */
export const BUILD_CONSOLE = [...FROM_SOURCE, 'packages/console/build/main.ts'];

/** Commands that serve the console, or test it. */
const WITH_CONSOLE = new Set(['start', 'build', 'test', 'jest', 'screenshots']);

/** @param {string | undefined} name */
export function usesConsole(name) {
  return name !== undefined && WITH_CONSOLE.has(name);
}

/** Commands of those who use Factmill; the others are for those who work on it, and need its development tools. */
const OF_USERS = new Set(['start', 'factmill', 'demo']);

/**
 * What has to be installed for a command.
 * @param {string | undefined} name
 * @returns {import('./toolchain/install-stamp.mjs').InstallKind}
 */
export function toInstallKind(name) {
  if (name === 'install:onnx') return 'onnx';
  return name !== undefined && OF_USERS.has(name) ? 'production' : 'all';
}

export const commandNames = Object.keys(COMMANDS);

/**
 * The arguments of Node for a command, or undefined when there is no such command.
 * @param {string | undefined} name
 * @param {readonly string[]} args
 */
export function toNodeArguments(name, args) {
  return name === undefined || !commandNames.includes(name) ? undefined : COMMANDS[name]?.(args);
}
