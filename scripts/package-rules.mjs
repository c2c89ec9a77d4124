// Which package may depend on which: pure, over package.json and tsconfig.json.

/**
 * What each package and service may depend on at run time, besides libraries. Each row names only rows above it, so
 * that there are no circles. A package that is in no row is for development only.
 * @type {Readonly<Record<string, readonly string[]>>}
 */
export const MAY_DEPEND_ON = layered({
  'packages/async': [],
  'packages/contracts': [],
  'packages/errors': [],
  'packages/client': [],
  // Bundled for browsers, and served by the gateway as files: nothing depends on it.
  'packages/console': ['client'],
  'packages/config': ['contracts', 'errors'],
  'packages/telemetry': ['errors'],
  'packages/exchange': ['contracts', 'errors'],
  'packages/extraction': ['contracts'],
  'packages/ranking': ['contracts'],
  'packages/extractive': ['contracts', 'extraction'],
  'packages/auth': ['contracts', 'errors', 'telemetry'],
  'packages/database': ['contracts', 'errors', 'telemetry'],
  'packages/http': ['contracts', 'errors', 'telemetry'],
  'packages/onnx': [],
  'packages/models': ['async', 'contracts', 'errors', 'onnx', 'telemetry'],
  'packages/redis': [],
  'packages/queue': ['async', 'contracts', 'errors', 'redis', 'telemetry'],
  'packages/limits': ['auth', 'errors', 'redis', 'telemetry'],
  'packages/memories': ['contracts', 'database', 'errors', 'extraction'],
  'packages/vectors': ['contracts', 'database', 'errors', 'models'],
  'packages/vault': ['async', 'contracts', 'database', 'errors', 'http', 'memories', 'telemetry'],
  'packages/search': [
    'contracts',
    'database',
    'errors',
    'extraction',
    // For its reader of dates.
    'extractive',
    'ranking',
    'telemetry',
  ],
  'packages/runtime': ['async', 'auth', 'config', 'database', 'errors', 'http', 'telemetry'],
  'services/extractor': 'packages',
  'services/gateway': 'packages',
  // Retrieval searches; the queue is not its business.
  'services/retrieval': [
    'async',
    'auth',
    'config',
    'contracts',
    'database',
    'errors',
    'extraction',
    'http',
    'limits',
    'models',
    'ranking',
    'runtime',
    'search',
    'telemetry',
    'vectors',
  ],
  'packages/cli': 'packages',
  'services/standalone': 'everything',
});

/**
 * @typedef {object} Package
 * @property {string} folder from the root, with `/`
 * @property {string | undefined} description
 * @property {readonly string[]} dependencies names of our packages that it needs at run time, without the scope
 * @property {readonly string[]} developmentDependencies names of our packages that its tests and types need
 * @property {readonly string[]} references names of the folders that its tsconfig.json references
 */

/**
 * What is wrong with packages: one line each.
 * @param {readonly Package[]} packages
 * @param {Readonly<Record<string, readonly string[]>>} [mayDependOn]
 * @returns {string[]}
 */
export function findViolations(packages, mayDependOn = MAY_DEPEND_ON) {
  return packages.flatMap(({ folder, description, dependencies, developmentDependencies, references }) => {
    const allowed = mayDependOn[folder] ?? [];
    const reachable = [...dependencies, ...developmentDependencies];
    return [
      ...(description === undefined || description === '' ? ['package.json has no description'] : []),
      ...dependencies
        .filter((name) => !allowed.includes(name))
        .map((name) => `must not depend on ${name}; see scripts/package-rules.mjs`),
      ...dependencies
        .filter((name) => !references.includes(name))
        .map((name) => `tsconfig.json does not reference ${name}`),
      ...references
        .filter((name) => !reachable.includes(name))
        .map((name) => `tsconfig.json references ${name}, which package.json does not name`),
    ].map((problem) => `${folder}: ${problem}`);
  });
}

/**
 * @param {Record<string, readonly string[] | 'packages' | 'everything'>} rows
 * @returns {Record<string, readonly string[]>}
 */
function layered(rows) {
  /** @type {Record<string, readonly string[]>} */
  const allowed = {};
  for (const [folder, row] of Object.entries(rows)) {
    const above = Object.keys(allowed).filter((other) => row !== 'packages' || other.startsWith('packages/'));
    const names = above.map((other) => other.slice(other.indexOf('/') + 1));
    const missing = typeof row === 'string' ? [] : row.filter((name) => !names.includes(name));
    if (missing.length > 0) throw new Error(`${folder}: ${missing.join(', ')} has to stand above it`);
    allowed[folder] = typeof row === 'string' ? names : row;
  }
  return allowed;
}
