import { type ProcessExit, waitFor } from '@factmill/testkit';
import { type ChildProcess, spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { ROOT } from './compose-file.ts';

export type StartedCommand = Readonly<{
  output: () => string;
  ended: Promise<ProcessExit>;
  /** Sends SIGTERM as `docker stop` does; resolves as `ended` does. */
  stop: () => Promise<ProcessExit>;
}>;

/**
 * Runs a container's command as a process: the repository stands in for /app, and the environment is exactly this
 * one, without what the test runner has, such as its export conditions. The working directory has no `.env`, as
 * /app has none. `root` is the folder of another version, which is built.
 */
export function startCommand(
  command: readonly string[],
  environment: Readonly<Record<string, string>>,
  root: string = ROOT,
): StartedCommand {
  const [program = '', ...args] = command.map((part) =>
    existsSync(join(root, part)) ? join(root, part) : part,
  );
  const path = environment['PATH'] ?? process.env['PATH'] ?? '';
  const child: ChildProcess = spawn(program === 'node' ? process.execPath : program, args, {
    cwd: import.meta.dirname,
    env: { NODE_ENV: 'production', ...environment, PATH: path },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const endWithTest = () => child.kill('SIGKILL');
  process.once('exit', endWithTest);
  const chunks: string[] = [];
  for (const stream of [child.stdout, child.stderr]) {
    stream?.setEncoding('utf8').on('data', (chunk: string) => chunks.push(chunk));
  }
  const ended = new Promise<ProcessExit>((resolve, reject) => {
    child.once('error', reject);
    child.once('close', (code, signal) => {
      process.removeListener('exit', endWithTest);
      resolve({ code, signal });
    });
  });
  return {
    output: () => chunks.join(''),
    ended,
    stop: () => {
      child.kill('SIGTERM');
      return ended;
    },
  };
}

/** Repeats a health check, given as in Compose, until it succeeds, as Docker does. */
export async function untilHealthy(
  check: readonly string[],
  service: Readonly<{
    name: string;
    started: StartedCommand;
    /** Of the check. Default: none. */
    environment?: Readonly<Record<string, string>>;
  }>,
): Promise<void> {
  const [kind, ...command] = check;
  if (kind !== 'CMD') throw new Error('only checks in exec form can run without a shell');
  let over = false;
  void service.started.ended.then(() => (over = true));
  await waitFor(
    async () => {
      if (over) return true;
      return (await startCommand(command, service.environment ?? {}).ended).code === 0;
    },
    { timeoutMs: 60_000, intervalMs: 250, describe: `${service.name} to be healthy` },
  ).catch((error: unknown) => {
    throw new Error(`${String(error)}\n${service.started.output()}`, { cause: error });
  });
  if (over) throw new Error(`${service.name} ended\n${service.started.output()}`);
}
