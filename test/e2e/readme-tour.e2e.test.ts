import { execFile } from 'node:child_process';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { freePort, type RunningProcess, startProcess, waitFor } from '@factmill/testkit';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { entryOf } from '../support/service-process.ts';

const run = promisify(execFile);
const README = new URL('../../README.md', import.meta.url);

let folder: string;
let running: RunningProcess | undefined;
let url: string;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'factmill-tour-'));
  const port = await freePort();
  url = `http://127.0.0.1:${port}`;
  running = await startProcess({
    entry: entryOf('standalone'),
    env: {
      DATA_DIR: join(folder, 'data'),
      GATEWAY_PORT: String(port),
      RETRIEVAL_PORT: '0',
      EXTRACTOR_PORT: '0',
    },
    cwd: folder,
    readyWhen: /Stop with Ctrl-C/,
    timeoutMs: 150_000,
  });
});
afterAll(async () => {
  await running?.kill('SIGINT');
  await running?.exit;
  await rm(folder, { recursive: true, force: true });
});

type Step = Readonly<{ commands: string; answer: unknown }>;

/** The commands of the tour, each with the answer that is printed below it. */
async function readTour(): Promise<Step[]> {
  const text = await readFile(README, 'utf8');
  const tour = /\n## A tour with curl\n(.*?)\n## /s.exec(text)?.[1] ?? '';
  const blocks = [...tour.matchAll(/```sh\n(.*?)```\n\n```json\n(.*?)```/gs)];
  expect(blocks).toHaveLength([...tour.matchAll(/```sh/g)].length);
  return blocks.map(([, commands = '', answer = '']) => ({ commands, answer: JSON.parse(answer) }));
}

/** The printed answer as a pattern: what is abridged may be anything, and numbers and ids of one kind are alike. */
function toPattern(printed: unknown): unknown {
  if (Array.isArray(printed)) return printed.map(toPattern);
  if (typeof printed === 'number') return expect.any(Number);
  if (typeof printed === 'string' && printed.endsWith('…')) return expect.stringMatching(/^[\da-f-]{36}$/);
  if (typeof printed !== 'object' || printed === null) return printed;
  const fields = Object.entries(printed).map(([name, value]) => [name, toPattern(value)]);
  return expect.objectContaining(Object.fromEntries(fields) as Record<string, unknown>);
}

test('every command of the README works as pasted, in order, and answers what is printed', async () => {
  const steps = await readTour();
  expect(steps.length).toBeGreaterThan(5);
  for (const { commands, answer } of steps) {
    const script = commands.replaceAll('http://127.0.0.1:8080', url);
    const { stdout } = await run('bash', ['-euo', 'pipefail', '-c', script]);
    expect(JSON.parse(stdout)).toEqual(toPattern(answer));
    // The moment that the tour speaks of.
    await waitFor(
      async () => {
        const { data } = (await (await fetch(`${url}/v1/extractions?user_id=maya`)).json()) as {
          data: { state: string }[];
        };
        return data.every(({ state }) => state === 'done');
      },
      { timeoutMs: 30_000, describe: 'the extraction' },
    );
  }
});
