import { createHash } from 'node:crypto';

/**
 * The folders that `pnpm-workspace.yaml` lists under `packages:`, as written (`packages/*`, `test`).
 * @param {string} workspaceText
 * @returns {string[]}
 */
export function parseWorkspaceFolders(workspaceText) {
  const block =
    /^packages:[^\n]*\n((?:[ \t]+-[^\n]*\n?|[ \t]*(?:#[^\n]*)?\n)*)/m.exec(workspaceText)?.[1] ?? '';
  return [...block.matchAll(/^\s*-\s*(['"]?)([^\s'"#]+)\1/gm)].map(([, , folder = '']) => folder);
}

/**
 * A digest of everything that decides what is installed: equal stamps mean there is nothing to do.
 * @param {string} nodeVersion native modules and their builds depend on it
 * @param {ReadonlyMap<string, string>} contents by path: lockfile, workspace file and every `package.json`
 */
export function toInstallStamp(nodeVersion, contents) {
  const hash = createHash('sha256').update(nodeVersion);
  for (const [path, text] of [...contents].sort(([a], [b]) => (a < b ? -1 : 1))) {
    hash.update(`\0${path}\0${text}`);
  }
  return hash.digest('hex');
}

/**
 * What is installed: `production` runs the product, `onnx` has the runtime of models from ONNX files as well, `all` also
 * what tests and checks need.
 * @typedef {'production' | 'onnx' | 'all'} InstallKind
 */

/** @type {readonly InstallKind[]} each has what those before it have */
const KINDS = ['production', 'onnx', 'all'];

/**
 * What has to be installed so that a command has its dependencies, and what to note afterwards; null for nothing.
 * What is there beyond that stays: a start after a test does not take the tools of development away.
 * @param {string} noted what the latest installation left, empty for none
 * @param {string} stamp of the manifests as they are now
 * @param {InstallKind} wanted
 * @returns {{ kind: InstallKind, stamp: string } | null}
 */
export function planInstall(noted, stamp, wanted) {
  const [notedKind, notedStamp] = noted.trim().split(' ');
  // Stamps without a kind are of versions that always installed everything.
  const known = KINDS.find((kind) => kind === notedKind) ?? 'all';
  const kind = noted !== '' && KINDS.indexOf(known) > KINDS.indexOf(wanted) ? known : wanted;
  if (notedStamp === stamp && notedKind === kind) return null;
  return { kind, stamp: `${kind} ${stamp}` };
}
