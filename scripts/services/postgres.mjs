import { chown, mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { capture, lastLines } from '../capture.mjs';
import { Failure } from '../failure.mjs';
import { isPostgresReady } from './readiness.mjs';
import { startServer } from './server-process.mjs';

/**
 * The tests keep nothing, so they do not pay for disk flushes; measurements do.
 */
const VOLATILE_SETTINGS = ['fsync=off', 'synchronous_commit=off', 'full_page_writes=off'];

/**
 * Creates a database cluster in `folder` and starts it. The user is `postgres`, without a password, on
 * 127.0.0.1 only.
 * @param {{ binDir: string, folder: string, durable: boolean }} postgres
 * @returns {Promise<import('./server-process.mjs').RunningServer & { url: string }>}
 */
export async function startPostgres({ binDir, folder, durable }) {
  const owner = await findUnprivilegedOwner();
  const options = owner ?? {};
  await mkdir(folder, { mode: 0o700 });
  if (owner !== undefined) await chown(folder, owner.uid, owner.gid);
  const dataDir = join(folder, 'data');

  const locale = process.platform === 'darwin' ? 'en_US.UTF-8' : 'C.UTF-8';
  const init = await capture(
    join(binDir, 'initdb'),
    ['-D', dataDir, '-U', 'postgres', '-A', 'trust', '-E', 'UTF8', `--locale=${locale}`, '--no-sync'],
    { ...options, cwd: folder },
  );
  if (init.code !== 0)
    throw new Failure(`PostgreSQL could not create its data folder: ${lastLines(init.stderr)}`);

  const settings = [
    'listen_addresses=127.0.0.1',
    `unix_socket_directories=${folder}`,
    'max_connections=300',
    ...(durable ? [] : VOLATILE_SETTINGS),
  ];
  const server = await startServer({
    name: 'PostgreSQL',
    program: join(binDir, 'postgres'),
    toArgs: (port) => ['-D', dataDir, '-p', String(port), ...settings.flatMap((setting) => ['-c', setting])],
    logFile: `${folder}.log`,
    isReady: isPostgresReady,
    stopSignal: 'SIGINT',
    options: { ...options, cwd: folder },
  });
  return { ...server, url: `postgres://postgres@127.0.0.1:${server.port}/postgres` };
}

/**
 * PostgreSQL refuses to run as root: then it runs as `postgres`, or as `nobody` where that user is missing.
 * @returns {Promise<{ uid: number, gid: number } | undefined>}
 */
async function findUnprivilegedOwner() {
  if (process.getuid?.() !== 0) return undefined;
  for (const user of ['postgres', 'nobody']) {
    const [uid, gid] = await Promise.all([capture('id', ['-u', user]), capture('id', ['-g', user])]);
    if (uid.code === 0 && gid.code === 0) return { uid: Number(uid.stdout), gid: Number(gid.stdout) };
  }
  throw new Failure(
    'PostgreSQL does not run as root and this system has neither a user postgres nor nobody.',
  );
}
