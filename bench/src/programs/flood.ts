// Clients of one tenant that send one kind of request in a loop and pause only for Retry-After. When stopped, writes
// the counts of the answers into COUNTS_FILE. Runs with the lowest priority, because a real flood comes from another
// machine.
import { writeFileSync } from 'node:fs';
import { setPriority } from 'node:os';
import { setTimeout as delay } from 'node:timers/promises';
import { FLOODS, isFlood } from '../floods.ts';

const { KIND: kind = '', GATEWAY: url = '', KEY: key = '', COUNTS_FILE: countsFile = '' } = process.env;
if (!isFlood(kind)) throw new Error(`There is no flood ${kind}.`);
const { clients, toRequest } = FLOODS[kind];
setPriority(10);

const answers: Record<string, number> = {};
let turn = 0;

async function client(): Promise<void> {
  for (;;) {
    turn += 1;
    const { method, path, body } = toRequest(turn);
    const response = await fetch(`${url}${path}`, {
      method,
      headers: { 'content-type': 'application/json', authorization: `Bearer ${key}` },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    }).catch(() => null);
    await response?.arrayBuffer();
    const status = String(response?.status ?? 'none');
    answers[status] = (answers[status] ?? 0) + 1;
    const rest = response?.headers.get('retry-after');
    if (rest !== null && rest !== undefined) await delay(Number(rest) * 1_000);
  }
}

process.once('SIGTERM', () => {
  writeFileSync(countsFile, JSON.stringify(answers));
  process.exit(0);
});
await Promise.all(Array.from({ length: clients }, client));
