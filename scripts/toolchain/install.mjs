import { readFile, readdir, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { Failure } from '../failure.mjs';
import { runInForeground } from '../foreground.mjs';
import { parseWorkspaceFolders, planInstall, toInstallStamp } from './install-stamp.mjs';
import { ensurePnpm, makeFolder } from './toolchain.mjs';

/** What the kinds of installation take on disk and over the network, measured on Linux x64. */
const SIZES = {
  production: 'about 440 packages, 340 MB on disk',
  onnx: 'about 450 packages, 630 MB on disk',
  all: 'about 640 packages, 790 MB on disk',
};

/** What pnpm is told to install. The ONNX runtime (270 MB) is a package of its own, so that it can be left out. */
const SELECTIONS = {
  production: ['--prod', '--filter=!@factmill/onnx'],
  onnx: ['--prod'],
  all: [],
};

/**
 * Installs the workspace's dependencies with the lockfile frozen, unless the same were installed before.
 * @param {{ root: string, toolchain: string, node: import('./toolchain.mjs').NodeRuntime,
 *   environment: NodeJS.ProcessEnv, log: (line: string) => void,
 *   kind: import('./install-stamp.mjs').InstallKind }} deps `kind`: what the command needs
 */
export async function ensureDependencies({ root, toolchain, node, environment, log, kind }) {
  const modules = join(root, 'node_modules');
  const stampFile = join(modules, '.factmill-install');
  const stamp = toInstallStamp(node.version, await readManifests(root));
  const plan = planInstall(await readFile(stampFile, 'utf8').catch(() => ''), stamp, kind);
  if (plan === null) return;

  await makeFolder(modules);
  const [program = 'pnpm', ...first] = await ensurePnpm(toolchain, node, log);
  log(`Installing dependencies (${SIZES[plan.kind]})…`);
  const reporter = process.stdout.isTTY ? 'default' : 'append-only';
  const code = await runInForeground(
    program,
    [...first, 'install', '--frozen-lockfile', `--reporter=${reporter}`, ...SELECTIONS[plan.kind]],
    {
      cwd: root,
      // CI: pnpm never asks, it decides.
      env: { ...environment, CI: 'true' },
    },
  );
  if (code > 128) process.exit(code);
  if (code !== 0) throw new Failure('The dependencies could not be installed; the reason is above.');
  await writeFile(stampFile, plan.stamp);
}

/**
 * @param {string} root
 * @returns {Promise<Map<string, string>>} contents by path
 */
async function readManifests(root) {
  const workspace = await readFile(join(root, 'pnpm-workspace.yaml'), 'utf8');
  const folders = await Promise.all(
    parseWorkspaceFolders(workspace).map((folder) => expandFolder(root, folder)),
  );
  const paths = [
    'pnpm-lock.yaml',
    'package.json',
    ...folders.flat().map((folder) => join(folder, 'package.json')),
  ];
  const contents = await Promise.all(
    paths.map(
      async (path) => /** @type {const} */ ([path, await readFile(join(root, path), 'utf8').catch(() => '')]),
    ),
  );
  return new Map([['pnpm-workspace.yaml', workspace], ...contents]);
}

/**
 * @param {string} root
 * @param {string} folder a path, or one that ends in `/*`
 */
async function expandFolder(root, folder) {
  if (!folder.endsWith('/*')) return [folder];
  const parent = dirname(folder);
  const entries = await readdir(join(root, parent), { withFileTypes: true }).catch(() => []);
  return entries.filter((entry) => entry.isDirectory()).map((entry) => join(parent, entry.name));
}
