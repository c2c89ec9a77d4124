// The process that owns the servers of one test run. It starts what the plan on its command line names,
// prints one line of JSON with their addresses (or the reason why not), and stops everything when its
// standard input ends. The kernel ends that input however its parent goes away, so not even SIGKILL leaves
// a server behind. It runs in a session of its own: Ctrl-C stops the tests first, then the servers.
import { chmod, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startDockerPostgres, startDockerRedis } from './docker.mjs';
import { startPostgres } from './postgres.mjs';
import { startRedis } from './redis.mjs';

/**
 * @typedef {object} Plan what to start; what is missing is not started
 * @property {boolean} durable whether Postgres flushes to disk
 * @property {{ docker: true } | { binDir: string }} [postgres]
 * @property {{ docker: true } | { program: string }} [redis]
 */

/**
 * @typedef {{ databaseUrl?: string, redisUrl?: string } | { error: string }} Report
 */

/** @type {Plan} */
const plan = JSON.parse(process.argv[2] ?? '');

const parentIsGone = new Promise((resolve) => {
  process.stdin.on('end', resolve).on('error', resolve).resume();
});
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, () => {});

const folder = await mkdtemp(join(tmpdir(), 'factmill-services-'));
// Postgres may run as another user and has to reach its own folder in here.
await chmod(folder, 0o711);

const starts = await Promise.allSettled([startPlannedPostgres(), startPlannedRedis()]);
const failure = starts.find((start) => start.status === 'rejected');
const [postgres, redis] = starts.map((start) => (start.status === 'fulfilled' ? start.value : undefined));
/** @type {Report} */
const report =
  failure === undefined
    ? { ...(postgres && { databaseUrl: postgres.url }), ...(redis && { redisUrl: redis.url }) }
    : { error: failure.reason instanceof Error ? failure.reason.message : String(failure.reason) };
process.stdout.on('error', () => {}).write(`${JSON.stringify(report)}\n`);

if (failure === undefined) await parentIsGone;
await Promise.all([postgres?.stop(), redis?.stop()]);
await rm(folder, { recursive: true, force: true, maxRetries: 5 });
process.exit(failure === undefined ? 0 : 1);

async function startPlannedPostgres() {
  if (plan.postgres === undefined) return undefined;
  return 'docker' in plan.postgres
    ? startDockerPostgres(plan)
    : startPostgres({ ...plan.postgres, folder: join(folder, 'postgres'), durable: plan.durable });
}

async function startPlannedRedis() {
  if (plan.redis === undefined) return undefined;
  return 'docker' in plan.redis
    ? startDockerRedis()
    : startRedis({ ...plan.redis, folder: join(folder, 'redis') });
}
