import { readFileSync, writeFileSync } from 'node:fs';
import { Agent, request } from 'node:http';

/** What something cost a process. */
export type Load = Readonly<{
  /** The most processor time of the main thread between sending `/healthz` and its answer, in milliseconds. */
  longestBlockMs: number;
  /** How far memory (RSS) rose above where it was, at its highest, in megabytes. */
  grownMegabytes: number;
}>;

/** Clock ticks of Linux: 100 a second on every architecture. */
const MS_PER_TICK = 10;

/** Does something to a process, and says what it cost: counters of the kernel, so that a busy machine changes nothing. */
export async function loadOf<T>(
  pid: number,
  url: string,
  act: () => Promise<T>,
): Promise<Readonly<{ load: Load; result: T }>> {
  // Forgets the highest memory until now.
  writeFileSync(`/proc/${pid}/clear_refs`, '5');
  const before = kilobytes(pid, 'VmRSS');
  const agent = new Agent({ keepAlive: true, maxSockets: 1 });
  const over = new AbortController();
  let longestBlockMs = 0;
  const probe = (async () => {
    do {
      const start = mainThreadMs(pid);
      await answerOf(`${url}/healthz`, agent);
      longestBlockMs = Math.max(longestBlockMs, mainThreadMs(pid) - start);
    } while (!over.signal.aborted);
  })();
  try {
    const result = await act();
    return {
      result,
      load: {
        get longestBlockMs() {
          return longestBlockMs;
        },
        grownMegabytes: Math.max(0, kilobytes(pid, 'VmHWM') - before) / 1_024,
      },
    };
  } finally {
    over.abort();
    await probe;
    agent.destroy();
  }
}

/** Processor time of the thread that runs the event loop. */
function mainThreadMs(pid: number): number {
  const stat = readFileSync(`/proc/${pid}/task/${pid}/stat`, 'utf8');
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  return (Number(fields[11]) + Number(fields[12])) * MS_PER_TICK;
}

function kilobytes(pid: number, name: 'VmRSS' | 'VmHWM'): number {
  const status = readFileSync(`/proc/${pid}/status`, 'utf8');
  return Number(new RegExp(`^${name}:\\s+(\\d+) kB`, 'm').exec(status)?.[1]);
}

function answerOf(url: string, agent: Agent): Promise<void> {
  return new Promise((resolve, reject) => {
    request(url, { agent }, (answer) => {
      answer.resume();
      answer.once('end', () => resolve());
    })
      .once('error', reject)
      .end();
  });
}
