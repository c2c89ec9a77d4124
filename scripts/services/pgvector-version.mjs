/** The oldest pgvector that tests run on; `packages/database/src/migrate/extensions.ts` says what a server needs. */
export const OLDEST_PGVECTOR = '0.8.0';

/** The oldest PostgreSQL that the tests run on. */
export const OLDEST_POSTGRES_MAJOR = 15;

/**
 * Whether a dotted version is at least another; Debian revisions (`0.8.0-1`) and missing parts are accepted.
 * @param {string} version
 * @param {string} oldest
 */
export function isAtLeast(version, oldest) {
  const parts = toParts(version);
  for (const [index, wanted] of toParts(oldest).entries()) {
    const part = parts[index] ?? 0;
    if (part !== wanted) return part > wanted;
  }
  return parts.length > 0;
}

/**
 * @param {string} version
 * @returns {number[]}
 */
function toParts(version) {
  const numbers = /^\d+(\.\d+)*/.exec(version.trim())?.[0];
  return numbers === undefined ? [] : numbers.split('.').map(Number);
}

/**
 * The `default_version` of a Postgres extension's control file, or undefined.
 * @param {string} controlText
 */
export function parseDefaultVersion(controlText) {
  return /^\s*default_version\s*=\s*'([^']+)'/m.exec(controlText)?.[1];
}
