import { fork } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

/** What something cost a process. */
export type Load = Readonly<{
  /** The most processor time of the main thread between sending `/healthz` and its answer, in milliseconds. */
  longestBlockMs: number;
  /** How far memory (RSS) rose above where it was, at its highest, in megabytes. */
  grownMegabytes: number;
}>;

const PROBE = fileURLToPath(new URL('block-probe.ts', import.meta.url));

/** Does something to a process, and says what it cost: counters of the kernel, so that a busy machine changes nothing. */
export async function loadOf<T>(
  pid: number,
  url: string,
  act: () => Promise<T>,
): Promise<Readonly<{ load: Load; result: T }>> {
  /** What the probe says next; when it has ended instead, the process does not answer any more. */
  const said = () =>
    Promise.race([
      once(probe, 'message'),
      once(probe, 'exit').then(() => Promise.reject(new Error(`${url}/healthz does not answer`))),
    ]);
  const probe = fork(PROBE, [String(pid), url], { execArgv: ['--disable-warning=ExperimentalWarning'] });
  try {
    await said();
    // Forgets the highest memory until now.
    writeFileSync(`/proc/${pid}/clear_refs`, '5');
    const before = kilobytes(pid, 'VmRSS');
    const result = await act();
    const grownMegabytes = Math.max(0, kilobytes(pid, 'VmHWM') - before) / 1_024;
    const answer = said();
    probe.send('stop');
    const [longestBlockMs] = (await answer) as [number];
    return { result, load: { longestBlockMs, grownMegabytes } };
  } finally {
    probe.kill();
  }
}

function kilobytes(pid: number, name: 'VmRSS' | 'VmHWM'): number {
  const status = readFileSync(`/proc/${pid}/status`, 'utf8');
  return Number(new RegExp(`^${name}:\\s+(\\d+) kB`, 'm').exec(status)?.[1]);
}
