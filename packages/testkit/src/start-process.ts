import { startChild, untilReady, type RunningChild } from './child-process.ts';

export type StartProcessOptions = Readonly<{
  /** The TypeScript file to run. */
  entry: string;
  args?: readonly string[];
  /** All of the environment besides INHERITED, so that nothing of the test runner leaks in. */
  env: Readonly<Record<string, string>>;
  cwd?: string;
  /** Ready when the output matches, or when this address answers with a 2xx. Absent: ready at once. */
  readyWhen?: RegExp | string;
  /** Default 30 s. */
  timeoutMs?: number;
}>;

export type RunningProcess = RunningChild &
  Readonly<{
    /** What `readyWhen` matched, when it is a pattern. */
    ready: RegExpExecArray | undefined;
  }>;

/** NODE_COMPILE_CACHE saves half of the processor time that a start costs. */
const INHERITED = ['PATH', 'HOME', 'NODE_COMPILE_CACHE'];
/** Limits that let an answer be a lesser one on a busy machine. */
const PATIENT = { EMBEDDING_QUERY_TIMEOUT_MS: '60000' };
const isInherited = (entry: [string, string | undefined]): entry is [string, string] =>
  INHERITED.includes(entry[0]) && entry[1] !== undefined;

/**
 * Runs a service from its sources in a process of its own and resolves when it is ready. Rejects with its
 * output when it ends before.
 */
export async function startProcess(options: StartProcessOptions): Promise<RunningProcess> {
  const child = startChild(
    process.execPath,
    [
      '--conditions=factmill-source',
      '--disable-warning=ExperimentalWarning',
      options.entry,
      ...(options.args ?? []),
    ],
    {
      cwd: options.cwd,
      env: { ...inheritedEnvironment(), ...PATIENT, ...options.env },
    },
  );
  const { readyWhen } = options;
  if (readyWhen === undefined) return { ...child, ready: undefined };
  const limits = { timeoutMs: options.timeoutMs ?? 30_000, describe: `${options.entry} to be ready` };
  if (typeof readyWhen === 'string') {
    await untilReady(child, () => answers(readyWhen), limits);
    return { ...child, ready: undefined };
  }
  return { ...child, ready: await untilReady(child, () => readyWhen.exec(child.output()), limits) };
}

/** What every process that a test starts has of the environment of the tests. */
export function inheritedEnvironment(): Record<string, string> {
  return Object.fromEntries(Object.entries(process.env).filter(isInherited));
}

async function answers(url: string): Promise<boolean> {
  const response = await fetch(url);
  await response.arrayBuffer();
  return response.ok;
}
