import { spawn, type ChildProcess, type SpawnOptions } from 'node:child_process';
import { waitFor } from './wait-for.ts';

export type ProcessExit = Readonly<{ code: number | null; signal: NodeJS.Signals | null }>;

export type RunningChild = Readonly<{
  pid: number;
  /** Everything the process has written so far, both streams. */
  output(): string;
  isRunning(): boolean;
  /** Sends a signal, SIGKILL unless told; resolves when the process is gone, except for SIGSTOP and SIGCONT. */
  kill(signal?: NodeJS.Signals): Promise<void>;
  /** Resolves when the process is gone. Never rejects. */
  exit: Promise<ProcessExit>;
}>;

const running = new Set<ChildProcess>();
let cleanupInstalled = false;

/** Starts a program. Whatever happens to the test, the program does not outlive the process that started it. */
export function startChild(program: string, args: readonly string[], options: SpawnOptions): RunningChild {
  if (!cleanupInstalled) {
    cleanupInstalled = true;
    process.once('exit', () => running.forEach((child) => child.kill('SIGKILL')));
  }
  const child = spawn(program, args, { ...options, stdio: ['ignore', 'pipe', 'pipe'] });
  running.add(child);
  const chunks: string[] = [];
  for (const stream of [child.stdout, child.stderr]) {
    stream?.setEncoding('utf8').on('data', (chunk: string) => chunks.push(chunk));
  }
  let over = false;
  const exit = new Promise<ProcessExit>((resolve) => {
    child.once('error', (error) => {
      chunks.push(`${error.message}\n`);
      resolve({ code: null, signal: null });
    });
    child.once('close', (code, signal) => resolve({ code, signal }));
  }).then((result) => {
    over = true;
    running.delete(child);
    return result;
  });
  return {
    pid: child.pid ?? -1,
    output: () => chunks.join(''),
    isRunning: () => !over,
    async kill(signal = 'SIGKILL') {
      if (over) return;
      child.kill(signal);
      if (signal !== 'SIGSTOP' && signal !== 'SIGCONT') await exit;
    },
    exit,
  };
}

/** Waits until `isReady` holds; fails at once, with the output, when the process ends before. */
export async function untilReady<T>(
  child: RunningChild,
  isReady: () => T | Promise<T>,
  options: Readonly<{ timeoutMs: number; describe: string }>,
): Promise<NonNullable<T>> {
  let value: T | undefined;
  await waitFor(
    async () => {
      if (!child.isRunning()) return true;
      value = await isReady();
      return Boolean(value);
    },
    { timeoutMs: options.timeoutMs, describe: options.describe },
  ).catch(async (error: unknown) => {
    await child.kill();
    throw new Error(`${String(error)}\n${child.output()}`, { cause: error });
  });
  if (!value) throw new Error(`${options.describe}: the process ended before\n${child.output()}`);
  return value;
}
