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
