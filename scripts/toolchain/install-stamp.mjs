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
 * What is installed: `production` runs the product, `all` has what tests and checks need as well.
 * @typedef {'production' | 'all'} InstallKind
 */

/**
 * What has to be installed so that a command has its dependencies, and what to note afterwards; null for nothing.
 * Development tools that are there stay: a start after a test does not take them away.
 * @param {string} noted what the latest installation left, empty for none
 * @param {string} stamp of the manifests as they are now
 * @param {InstallKind} wanted
 * @returns {{ kind: InstallKind, stamp: string } | null}
 */
export function planInstall(noted, stamp, wanted) {
  const [notedKind, notedStamp] = noted.trim().split(' ');
  // Stamps without a kind are of versions that always installed everything.
  const hasTools = noted !== '' && notedKind !== 'production';
  const kind = hasTools ? 'all' : wanted;
  if (notedStamp === stamp && notedKind === kind) return null;
  return { kind, stamp: `${kind} ${stamp}` };
}
