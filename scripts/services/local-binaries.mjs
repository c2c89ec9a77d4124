import { access, readFile, readdir } from 'node:fs/promises';
import { constants } from 'node:fs';
import { delimiter, join } from 'node:path';
import { capture } from '../capture.mjs';
import {
  OLDEST_PGVECTOR,
  OLDEST_POSTGRES_MAJOR,
  isAtLeast,
  parseDefaultVersion,
} from './pgvector-version.mjs';

/**
 * @typedef {object} PostgresInstallation
 * @property {string} binDir folder with `initdb`, `pg_ctl` and `postgres`
 * @property {number} major
 * @property {string | undefined} pgvectorVersion of the extension that `CREATE EXTENSION vector` would install
 * @property {boolean} hasTrigram whether `pg_trgm` (contrib) is there
 */

/**
 * Every PostgreSQL new enough for the tests, best first: one that has both extensions, then the newest.
 * @returns {Promise<PostgresInstallation[]>}
 */
export async function findPostgresInstallations() {
  const found = await Promise.all([...new Set(await candidateBinDirs())].map(inspectInstallation));
  return found
    .flatMap((installation) => (installation === undefined ? [] : [installation]))
    .sort((a, b) => Number(isComplete(b)) - Number(isComplete(a)) || b.major - a.major);
}

/** @param {PostgresInstallation} installation */
export function isComplete({ pgvectorVersion, hasTrigram }) {
  return hasTrigram && pgvectorVersion !== undefined && isAtLeast(pgvectorVersion, OLDEST_PGVECTOR);
}

/**
 * The program's path, or undefined.
 * @param {string} name
 * @param {string} [path] folders to look in
 */
export async function findProgram(name, path = process.env['PATH'] ?? '') {
  for (const folder of path.split(delimiter).filter(Boolean)) {
    if (await isExecutable(join(folder, name))) return join(folder, name);
  }
  return undefined;
}

/** @returns {Promise<string[]>} */
async function candidateBinDirs() {
  const packaged = await listFolders('/usr/lib/postgresql');
  const brewed = (
    await Promise.all(['/opt/homebrew/opt', '/usr/local/opt'].map((root) => listFolders(root)))
  ).flat();
  const configured = await capture('pg_config', ['--bindir']);
  const onPath = await findProgram('postgres');
  return [
    ...(configured.code === 0 ? [configured.stdout.trim()] : []),
    ...packaged.map((folder) => join(folder, 'bin')),
    ...brewed.filter((folder) => /\/postgresql(@\d+)?$/.test(folder)).map((folder) => join(folder, 'bin')),
    ...(onPath === undefined ? [] : [join(onPath, '..')]),
  ];
}

/**
 * @param {string} binDir
 * @returns {Promise<PostgresInstallation | undefined>}
 */
export async function inspectInstallation(binDir) {
  for (const program of ['initdb', 'pg_ctl', 'postgres', 'pg_config']) {
    if (!(await isExecutable(join(binDir, program)))) return undefined;
  }
  const version = await capture(join(binDir, 'postgres'), ['--version']);
  const major = Number(/\b(\d+)(?:\.|devel|beta|rc)/.exec(version.stdout)?.[1]);
  if (!(major >= OLDEST_POSTGRES_MAJOR)) return undefined;
  const share = await capture(join(binDir, 'pg_config'), ['--sharedir']);
  const extensions = join(share.stdout.trim(), 'extension');
  const [vector, trigram] = await Promise.all(
    ['vector.control', 'pg_trgm.control'].map((name) =>
      readFile(join(extensions, name), 'utf8').catch(() => ''),
    ),
  );
  return {
    binDir,
    major,
    pgvectorVersion: parseDefaultVersion(vector ?? ''),
    hasTrigram: parseDefaultVersion(trigram ?? '') !== undefined,
  };
}

/** @param {string} path */
async function isExecutable(path) {
  return access(path, constants.X_OK).then(
    () => true,
    () => false,
  );
}

/** @param {string} folder */
async function listFolders(folder) {
  const names = await readdir(folder).catch(() => /** @type {string[]} */ ([]));
  return names.map((name) => join(folder, name));
}
