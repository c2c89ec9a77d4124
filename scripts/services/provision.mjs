import { capture } from '../capture.mjs';
import { Failure } from '../failure.mjs';
import { openDebian } from './debian.mjs';
import { findPostgresInstallations, findProgram, isComplete } from './local-binaries.mjs';
import { OLDEST_PGVECTOR, OLDEST_POSTGRES_MAJOR } from './pgvector-version.mjs';

/** Whether a Docker engine answers. */
export async function hasDocker() {
  return (await capture('docker', ['info'], { timeoutMs: 10_000 })).code === 0;
}

/**
 * The folder of a PostgreSQL with pgvector and pg_trgm; installs what is missing where that is possible.
 * @param {(line: string) => void} log
 * @returns {Promise<string>}
 */
export async function providePostgres(log) {
  let [installation] = await findPostgresInstallations();
  if (installation !== undefined && isComplete(installation)) return installation.binDir;

  const debian = await openDebian(log);
  if (debian !== undefined && !installation?.hasTrigram) {
    await debian.install(['postgresql', 'postgresql-contrib']);
    [installation] = await findPostgresInstallations();
  }
  if (debian !== undefined && installation !== undefined && !isComplete(installation)) {
    await debian.installPgvector(installation.major, installation.binDir);
    [installation] = await findPostgresInstallations();
  }
  if (installation !== undefined && isComplete(installation)) return installation.binDir;
  throw new Failure(
    `The tests need PostgreSQL ${OLDEST_POSTGRES_MAJOR} or later with pgvector ${OLDEST_PGVECTOR} or later and pg_trgm: ` +
      'install them, start Docker, or set TEST_DATABASE_URL to such a database.',
  );
}

/**
 * The path of `redis-server`; installs it where that is possible.
 * @param {(line: string) => void} log
 * @returns {Promise<string>}
 */
export async function provideRedis(log) {
  const found = await findProgram('redis-server');
  if (found !== undefined) return found;
  await (await openDebian(log))?.install(['redis-server']);
  const installed = await findProgram('redis-server');
  if (installed !== undefined) return installed;
  throw new Failure(
    'The tests need Redis: install redis-server, start Docker, or set TEST_REDIS_URL to a Redis of its own.',
  );
}

/** Names under which a Chromium may be installed. */
const CHROMIUM = ['chromium', 'chromium-browser', 'google-chrome', 'google-chrome-stable'];

/** The path of a Chromium that is installed, if any. */
export async function findChromium() {
  for (const name of CHROMIUM) {
    const found = await findProgram(name);
    if (found !== undefined) return found;
  }
  return undefined;
}

/**
 * The path of a Chromium; installs it where that is possible.
 * @param {(line: string) => void} log
 * @returns {Promise<string>}
 */
export async function provideChromium(log) {
  const found = await findChromium();
  if (found !== undefined) return found;
  await (await openDebian(log))?.install(['chromium']);
  const installed = await findChromium();
  if (installed !== undefined) return installed;
  throw new Failure(
    'The tests in a browser need Chromium: install chromium, or set TEST_CHROMIUM to its path.',
  );
}

/** The path of PgBouncer if it is installed; packages put it where only the PATH of root looks. */
export async function findPgbouncer() {
  return (await findProgram('pgbouncer')) ?? (await findProgram('pgbouncer', '/usr/sbin'));
}

/**
 * The path of PgBouncer; installs it where that is possible.
 * @param {(line: string) => void} log
 * @returns {Promise<string>}
 */
export async function providePgbouncer(log) {
  const found = await findPgbouncer();
  if (found !== undefined) return found;
  await (await openDebian(log))?.install(['pgbouncer']);
  const installed = await findPgbouncer();
  if (installed !== undefined) return installed;
  throw new Failure(
    'The tests behind PgBouncer need it: install pgbouncer, or set TEST_PGBOUNCER to its path.',
  );
}
