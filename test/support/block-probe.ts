import { readFileSync } from 'node:fs';
import { Agent, request } from 'node:http';
import { setPriority } from 'node:os';

/**
 * A process that asks another one's `/healthz` again and again until it is told to stop, and answers with the most
 * processor time that the other one's main thread took between a question and its answer, in milliseconds. It is a
 * process of its own, and goes first where it may: what the other one does while an answer waits to be read would count.
 */

/** Clock ticks of Linux: 100 a second on every architecture. */
const MS_PER_TICK = 10;
const GOES_FIRST = -10;

const [pid = '', url = ''] = process.argv.slice(2);
const agent = new Agent({ keepAlive: true, maxSockets: 1 });
const over = new AbortController();
let longestBlockMs = 0;

/** Processor time of the thread that runs the event loop. */
function mainThreadMs(): number {
  const stat = readFileSync(`/proc/${pid}/task/${pid}/stat`, 'utf8');
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  return (Number(fields[11]) + Number(fields[12])) * MS_PER_TICK;
}

function ask(): Promise<void> {
  return new Promise((resolve, reject) => {
    request(`${url}/healthz`, { agent }, (answer) => {
      answer.resume();
      answer.once('end', () => resolve());
    })
      .once('error', reject)
      .end();
  });
}

try {
  setPriority(GOES_FIRST);
} catch {
  // Only root may.
}
process.once('message', () => over.abort());
await ask();
process.send?.('asking');
do {
  const start = mainThreadMs();
  await ask();
  longestBlockMs = Math.max(longestBlockMs, mainThreadMs() - start);
} while (!over.signal.aborted);
process.send?.(longestBlockMs);
process.disconnect();
agent.destroy();
