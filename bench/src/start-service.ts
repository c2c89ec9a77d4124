import { waitFor } from '@factmill/testkit';
import { spawn, type ChildProcess } from 'node:child_process';
import { closeSync, openSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';

export const ROOT = fileURLToPath(new URL('../../', import.meta.url));

export type Service = Readonly<{ url: string; pid: number; stop: () => Promise<void> }>;

export type ServiceOptions = Readonly<{
  /** Path from the root of the workspace. */
  entry: string;
  /** The whole environment besides PATH and HOME. */
  env: Readonly<Record<string, string>>;
  /** File for all output of the process: a pipe to this process would distort the measurement. */
  logFile: string;
  /** Where it listens. */
  url: string;
  /** Answers 2xx when the process is ready; null: ready at once. */
  readyPath: string | null;
  /** A folder for the CPU profile, written when the process stops. */
  profileDirectory?: string | undefined;
}>;

const running = new Set<ChildProcess>();
process.once('exit', () => running.forEach((child) => child.kill('SIGKILL')));

/** Runs a program of the workspace in its own process: `.ts` from source, `.js` as in containers. */
export async function startService(options: ServiceOptions): Promise<Service> {
  const { profileDirectory, url } = options;
  const log = openSync(options.logFile, 'a');
  const child = spawn(
    process.execPath,
    [
      ...(options.entry.includes('/standalone/') ? ['--max-semi-space-size=16'] : []),
      ...(options.entry.endsWith('.ts')
        ? ['--conditions=factmill-source', '--disable-warning=ExperimentalWarning']
        : []),
      ...(profileDirectory === undefined ? [] : ['--cpu-prof', `--cpu-prof-dir=${profileDirectory}`]),
      options.entry,
    ],
    {
      cwd: ROOT,
      env: { PATH: process.env['PATH'] ?? '', HOME: process.env['HOME'] ?? '', ...options.env },
      stdio: ['ignore', log, log],
    },
  );
  closeSync(log);
  running.add(child);
  let over = false;
  const exit = new Promise<void>((resolve) =>
    child.once('exit', () => resolve()).once('error', () => resolve()),
  );
  void exit.then(() => {
    over = true;
    running.delete(child);
  });

  if (options.readyPath !== null) {
    await waitFor(async () => over || (await answers(url + options.readyPath)), {
      timeoutMs: 60_000,
      describe: `${options.entry} to be ready`,
    });
    if (over) throw new Error(`${options.entry} ended:\n${await readFile(options.logFile, 'utf8')}`);
  }
  return {
    url,
    pid: child.pid ?? -1,
    async stop() {
      child.kill('SIGTERM');
      await exit;
    },
  };
}

async function answers(url: string): Promise<boolean> {
  const response = await fetch(url);
  await response.arrayBuffer();
  return response.ok;
}
