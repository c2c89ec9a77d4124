import { capture, lastLines } from '../capture.mjs';
import { Failure } from '../failure.mjs';
import { isPostgresReady, isRedisReady, waitUntil } from './readiness.mjs';

/** The first start of the Postgres image creates its cluster, which takes seconds on a slow disk. */
const START_LIMIT_MS = 60_000;

/**
 * Starts a container whose port is published on a free port of 127.0.0.1, and resolves when it answers.
 * @param {object} container
 * @param {string} container.image
 * @param {number} container.port inside the container
 * @param {readonly string[]} container.options of `docker run`
 * @param {readonly string[]} container.command
 * @param {(port: number) => Promise<boolean>} container.isReady
 * @returns {Promise<import('./server-process.mjs').RunningServer>}
 */
async function startContainer({ image, port, options, command, isReady }) {
  const run = await capture('docker', [
    'run',
    '--detach',
    '--rm',
    '--label=factmill-tests',
    `--publish=127.0.0.1::${port}`,
    ...options,
    image,
    ...command,
  ]);
  if (run.code !== 0) throw new Failure(`Docker could not start ${image}: ${lastLines(run.stderr)}`);
  const id = run.stdout.trim();
  const stop = async () => {
    await capture('docker', ['rm', '--force', '--volumes', id]);
  };
  const published = await capture('docker', ['port', id, `${port}/tcp`]);
  const hostPort = Number(/:(\d+)\s*$/m.exec(published.stdout)?.[1]);
  if (hostPort > 0 && (await waitUntil(() => isReady(hostPort), { limitMs: START_LIMIT_MS }))) {
    return { port: hostPort, stop };
  }
  const logs = await capture('docker', ['logs', '--tail', '3', id]);
  await stop();
  throw new Failure(`${image} did not start in Docker: ${lastLines(logs.stderr || logs.stdout)}`);
}

/**
 * @param {{ durable: boolean }} options
 * @returns {Promise<import('./server-process.mjs').RunningServer & { url: string }>}
 */
export async function startDockerPostgres({ durable }) {
  const volatile = durable ? [] : ['fsync=off', 'synchronous_commit=off', 'full_page_writes=off'];
  const server = await startContainer({
    image: 'pgvector/pgvector:pg18',
    port: 5432,
    // Parallel index builds use shared memory; the 64 MB that Docker gives are too few.
    options: ['--env', 'POSTGRES_HOST_AUTH_METHOD=trust', '--shm-size', '512m'],
    command: ['postgres', ...['max_connections=300', ...volatile].flatMap((setting) => ['-c', setting])],
    isReady: isPostgresReady,
  });
  return { ...server, url: `postgres://postgres@127.0.0.1:${server.port}/postgres` };
}

/** @returns {Promise<import('./server-process.mjs').RunningServer & { url: string }>} */
export async function startDockerRedis() {
  const server = await startContainer({
    image: 'redis:8',
    port: 6379,
    options: [],
    command: ['redis-server', '--save', '', '--appendonly', 'yes', '--maxmemory-policy', 'noeviction'],
    isReady: isRedisReady,
  });
  return { ...server, url: `redis://127.0.0.1:${server.port}` };
}
