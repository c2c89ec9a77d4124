import { access, mkdir, readFile, readdir, rename, rm } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { capture } from '../capture.mjs';
import { Failure } from '../failure.mjs';
import { NODE_MAJOR, isFittingNode, isSameMinor, toNodePackage } from './node-version.mjs';

const PNPM_VERSION = '12.21.0';

/**
 * @typedef {object} NodeRuntime
 * @property {string} path of the program
 * @property {string} version
 */

/**
 * A Node that runs the project: this very one if it fits, else one from the npm registry, kept in `folder`.
 * @param {string} folder
 * @param {(line: string) => void} log
 * @returns {Promise<NodeRuntime>}
 */
export async function ensureNode(folder, log) {
  if (isFittingNode(process.versions.node)) return { path: process.execPath, version: process.versions.node };
  const source = toNodePackage({ platform: process.platform, arch: process.arch, isMusl: isMusl() });
  if (source === undefined) {
    throw new Failure(
      `Factmill needs Node ${NODE_MAJOR}, which npm cannot bring to this system (${process.platform} ${process.arch}); install it and try again.`,
    );
  }
  const installed = join(folder, `node-${NODE_MAJOR}`);
  await installOnce(installed, `${source.name}@${source.range}`, () =>
    log(
      `Downloading Node ${NODE_MAJOR} into .toolchain, once (53 MB, 190 MB on disk; yours is ${process.versions.node})…`,
    ),
  );
  const root = join(installed, 'node_modules', source.name);
  const { version } = JSON.parse(await readFile(join(root, 'package.json'), 'utf8'));
  return { path: join(root, 'bin', 'node'), version };
}

/**
 * The command that runs pnpm: the machine's own if it is of the same minor version, else the pinned one from
 * the npm registry, kept in `folder`.
 * @param {string} folder
 * @param {NodeRuntime} node
 * @param {(line: string) => void} log
 * @returns {Promise<string[]>} program and first arguments
 */
export async function ensurePnpm(folder, node, log) {
  const installed = join(folder, `pnpm-${PNPM_VERSION}`);
  // A shim that would download pnpm or ask about it counts as no pnpm.
  const env = { ...process.env, COREPACK_ENABLE_NETWORK: '0', COREPACK_ENABLE_DOWNLOAD_PROMPT: '0' };
  const own = await capture('pnpm', ['--version'], { env, timeoutMs: 10_000 });
  if (own.code === 0 && isSameMinor(own.stdout, PNPM_VERSION)) return ['pnpm'];
  await installOnce(installed, `pnpm@${PNPM_VERSION}`, () =>
    log(`Downloading pnpm ${PNPM_VERSION} into .toolchain, once (29 MB, 70 MB on disk)…`),
  );
  return [node.path, join(installed, 'node_modules', 'pnpm', 'bin', 'pnpm.mjs')];
}

/**
 * Installs one package from the npm registry into a folder of its own, unless the folder is there. It appears
 * by one rename, so an interrupted or simultaneous run never leaves half of it.
 * @param {string} target
 * @param {string} spec
 * @param {() => void} announce
 */
async function installOnce(target, spec, announce) {
  if (await exists(target)) return;
  announce();
  await removeAbandoned(dirname(target));
  const unfinished = join(dirname(target), `.unfinished-${process.pid}-${basename(target)}`);
  for (const folder of [dirname(target), unfinished, join(unfinished, 'node_modules')])
    await makeFolder(folder);
  const [program, ...first] = findNpm();
  const flags = [
    '--no-audit',
    '--no-fund',
    '--no-save',
    '--no-package-lock',
    '--ignore-scripts',
    '--loglevel=error',
  ];
  const result = await capture(
    program ?? 'npm',
    [...first, 'install', '--prefix', unfinished, ...flags, spec],
    {
      cwd: unfinished,
    },
  );
  if (result.code !== 0) {
    await rm(unfinished, { recursive: true, force: true });
    throw new Failure(`npm could not bring ${spec}: ${toReason(result.stderr || result.stdout)}`);
  }
  await rename(unfinished, target).catch(async (error) => {
    await rm(unfinished, { recursive: true, force: true });
    // Another run was faster; its copy is the same.
    if (!(await exists(target))) throw error;
  });
}

/**
 * What npm says went wrong, which it says first.
 * @param {string} npmOutput
 */
function toReason(npmOutput) {
  const lines = npmOutput.split('\n').map((line) => line.replace(/^npm (error|ERR!)\s*/, '').trim());
  return lines.filter(Boolean).slice(0, 4).join(' | ');
}

/**
 * Removes what interrupted runs left, but not what a run at work is filling.
 * @param {string} folder
 */
async function removeAbandoned(folder) {
  for (const name of await readdir(folder).catch(() => /** @type {string[]} */ ([]))) {
    const pid = Number(/^\.unfinished-(\d+)-/.exec(name)?.[1]);
    if (!(pid > 0) || isAlive(pid)) continue;
    // Another run may be removing it too, or the npm of the interrupted one still fill it: then a later run will.
    await rm(join(folder, name), { recursive: true, force: true }).catch(() => {});
  }
}

/** @param {number} pid */
function isAlive(pid) {
  try {
    return process.kill(pid, 0);
  } catch (error) {
    return error instanceof Error && 'code' in error && error.code === 'EPERM';
  }
}

/** The npm that started this script, else the one in the path. */
function findNpm() {
  const running = process.env['npm_execpath'] ?? '';
  return basename(running) === 'npm-cli.js' ? [process.execPath, running] : ['npm'];
}

/** Node's program in the npm registry is linked against glibc. */
function isMusl() {
  if (process.platform !== 'linux') return false;
  const report = /** @type {{ header?: { glibcVersionRuntime?: string } }} */ (process.report.getReport());
  return report.header?.glibcVersionRuntime === undefined;
}

/**
 * Makes a folder in one that is there, unless it is there itself. One at a time, because `recursive` reports a
 * read-only file system as a missing folder.
 * @param {string} folder
 */
export async function makeFolder(folder) {
  await mkdir(folder).catch((error) => {
    if (error.code !== 'EEXIST') throw error;
  });
}

/** @param {string} path */
async function exists(path) {
  return access(path).then(
    () => true,
    () => false,
  );
}
