import { spawn } from 'node:child_process';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { Failure } from '../failure.mjs';
import { findPostgresInstallations } from './local-binaries.mjs';
import { hasDocker, providePostgres, provideRedis } from './provision.mjs';

/**
 * @typedef {object} Services
 * @property {string} databaseUrl a Postgres with pgvector and pg_trgm available; its user may create databases
 * @property {string} redisUrl
 * @property {string | undefined} pgBinDir folder with `initdb`, `pg_ctl` and `postgres`, for tests that run
 *   instances of their own; undefined when Postgres is given or in Docker and none is on this machine
 * @property {() => Promise<void>} stop ends what was started and removes its data; safe to call twice
 */

/**
 * Provides Postgres and Redis: those of `TEST_DATABASE_URL` and `TEST_REDIS_URL` if given (each alone too),
 * else in Docker if an engine answers, else this machine's programs, installed first where that is possible.
 * They also end when this process does, however it ends.
 * @param {{ durable: boolean, log: (line: string) => void }} options durable: Postgres flushes to disk
 * @returns {Promise<Services>}
 * @throws {Failure} one sentence, when something is missing or does not start
 */
export async function startServices({ durable, log }) {
  const givenDatabase = process.env['TEST_DATABASE_URL'] || undefined;
  const givenRedis = process.env['TEST_REDIS_URL'] || undefined;
  const useDocker = (givenDatabase === undefined || givenRedis === undefined) && (await hasDocker());

  /** @type {import('./supervisor.mjs').Plan} */
  const plan = { durable };
  let pgBinDir;
  if (givenDatabase === undefined && !useDocker) {
    pgBinDir = await providePostgres(log);
    plan.postgres = { binDir: pgBinDir };
  } else {
    if (givenDatabase === undefined) plan.postgres = { docker: true };
    pgBinDir = (await findPostgresInstallations())[0]?.binDir;
  }
  if (givenRedis === undefined) {
    plan.redis = useDocker ? { docker: true } : { program: await provideRedis(log) };
  }

  const started = await startSupervisor(plan);
  const databaseUrl = givenDatabase ?? started.report.databaseUrl;
  const redisUrl = givenRedis ?? started.report.redisUrl;
  if (databaseUrl === undefined || redisUrl === undefined)
    throw new Error('the supervisor left out an address');
  return { databaseUrl, redisUrl, pgBinDir, stop: started.stop };
}

/**
 * The environment in which tests and measurements find the services.
 * @param {Services} services
 * @returns {Record<string, string>}
 */
export function toServiceEnvironment({ databaseUrl, redisUrl, pgBinDir }) {
  return {
    TEST_DATABASE_URL: databaseUrl,
    TEST_REDIS_URL: redisUrl,
    ...(pgBinDir === undefined ? {} : { TEST_PG_BIN_DIR: pgBinDir }),
  };
}

/** @param {import('./supervisor.mjs').Plan} plan */
async function startSupervisor(plan) {
  const script = fileURLToPath(new URL('supervisor.mjs', import.meta.url));
  const child = spawn(process.execPath, [script, JSON.stringify(plan)], {
    stdio: ['pipe', 'pipe', 'inherit'],
    detached: true,
    env: { ...process.env, NODE_OPTIONS: '' },
  });
  const over = new Promise((resolve) => child.on('exit', resolve).on('error', resolve));
  const stop = async () => {
    child.stdin.end();
    await over;
  };
  child.stdin.on('error', () => {});

  const line = await new Promise((resolve) => {
    createInterface(child.stdout).once('line', resolve);
    void over.then(() => resolve(undefined));
  });
  /** @type {import('./supervisor.mjs').Report} */
  const report = line === undefined ? { error: 'The test services ended while starting.' } : JSON.parse(line);
  if ('error' in report) {
    await stop();
    throw new Failure(report.error);
  }
  return { report, stop };
}
