import { readFileSync } from 'node:fs';
import { rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';

/** A running instance on embedded storage, as its data folder says. */
export type LocalInstance = Readonly<{ pid: number; url: string }>;

/**
 * Says in the data folder where this process listens, so that commands on the same machine find it. Only the owner of
 * the folder may read it. `close` takes it back.
 */
export async function announceInstance(
  dataDir: string,
  url: string,
): Promise<{ close: () => Promise<void> }> {
  const path = pathIn(dataDir);
  const temporary = `${path}.new`;
  const instance: LocalInstance = { pid: process.pid, url };
  await writeFile(temporary, `${JSON.stringify(instance)}\n`, { mode: 0o600 });
  await rename(temporary, path);
  return { close: () => rm(path, { force: true }) };
}

/** The instance that runs on a data folder; null when there is none, or when it has ended without saying so. */
export function findInstance(dataDir: string): LocalInstance | null {
  const instance = read(pathIn(dataDir));
  return instance !== null && isRunning(instance.pid) ? instance : null;
}

function pathIn(dataDir: string): string {
  return join(dataDir, 'instance.json');
}

function read(path: string): LocalInstance | null {
  try {
    const { pid, url } = JSON.parse(readFileSync(path, 'utf8')) as Record<string, unknown>;
    return typeof pid === 'number' && Number.isInteger(pid) && pid > 0 && typeof url === 'string'
      ? { pid, url }
      : null;
  } catch {
    return null;
  }
}

function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    // Another person's process may not be signalled, but it runs.
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}
