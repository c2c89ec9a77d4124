import { mkdir } from 'node:fs/promises';
import { isRedisReady } from './readiness.mjs';
import { startServer } from './server-process.mjs';

/** What the queue asks for in production: append-only file, nothing evicted. */
const SETTINGS = '--bind 127.0.0.1 --appendonly yes --maxmemory-policy noeviction --save'
  .split(' ')
  .concat('');

/**
 * Starts Redis on 127.0.0.1.
 * @param {{ program: string, folder: string }} redis
 * @returns {Promise<import('./server-process.mjs').RunningServer & { url: string }>}
 */
export async function startRedis({ program, folder }) {
  await mkdir(folder, { mode: 0o700 });
  const server = await startServer({
    name: 'Redis',
    program,
    toArgs: (port) => [...SETTINGS, '--port', String(port), '--dir', folder],
    logFile: `${folder}.log`,
    isReady: isRedisReady,
    stopSignal: 'SIGTERM',
    options: { cwd: folder },
  });
  return { ...server, url: `redis://127.0.0.1:${server.port}` };
}
