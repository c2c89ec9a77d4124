import { execFile } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { freePort, type RunningProcess, startProcess, waitFor } from '@factmill/testkit';
import { afterAll, beforeAll, expect, jest, test } from '@jest/globals';
import { entryOf, runToEnd } from '../support/service-process.ts';

jest.setTimeout(120_000);

const run = promisify(execFile);
let folder: string;
let env: Record<string, string>;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'factmill-standalone-'));
  env = {
    DATA_DIR: join(folder, 'data'),
    GATEWAY_PORT: String(await freePort()),
    RETRIEVAL_PORT: String(await freePort()),
    EXTRACTOR_PORT: String(await freePort()),
  };
});
afterAll(() => rm(folder, { recursive: true, force: true }));

function start(): Promise<RunningProcess> {
  return startProcess({
    entry: entryOf('standalone'),
    env,
    cwd: folder,
    readyWhen: /Stop with Ctrl-C/,
    timeoutMs: 60_000,
  });
}

async function interrupt(running: RunningProcess): Promise<number | null> {
  await running.kill('SIGINT');
  return (await running.exit).code;
}

async function printed(line: string): Promise<Record<string, unknown>> {
  const { stdout } = await run('sh', ['-c', line]);
  return JSON.parse(stdout) as Record<string, unknown>;
}

/** What `npm run demo` prints. */
async function playDemo(url: string): Promise<string> {
  const demo = fileURLToPath(new URL('../../services/standalone/src/demo.ts', import.meta.url));
  const { stdout } = await run(process.execPath, ['--conditions=factmill-source', demo, url]);
  return stdout;
}

const oneLine = (output: string) => output.trim().split('\n');

/** One process after the other, since what is tested is what a person does with it. */
test('the first start works as printed, Ctrl-C ends it, and a second start finds the data', async () => {
  const first = await start();
  const output = first.output();
  const [extract = '', search = '', list = ''] = output.match(/curl .+/g) ?? [];
  const accepted = await printed(extract);
  expect(accepted).toMatchObject({ state: 'pending', user_id: 'maya' });
  const contents = await waitFor(
    async () => {
      const { data } = (await printed(list)) as { data: { content: string }[] };
      return data.length >= 2 ? data.map((memory) => memory.content) : undefined;
    },
    { timeoutMs: 30_000, describe: 'the memories' },
  );
  expect(contents.join(' ')).toMatch(/Lisbon/);
  expect(contents.join(' ')).toMatch(/nurse/);
  const found = (await printed(search)) as { results: { memory: { content: string } }[] };
  expect(found.results[0]?.memory.content).toMatch(/Lisbon/);
  for (const url of output.match(/http:\/\/127\.0\.0\.1:\d+(?:\/docs|\/health|\/admin\/queues)/g) ?? []) {
    expect((await fetch(url)).status).toBe(200);
  }

  const demo = await playDemo(`http://127.0.0.1:${env['GATEWAY_PORT']}`);
  expect(demo).toMatch(/\+ .*Trondheim/);
  expect(demo).toMatch(/Where does Nora live\?\n(?: +\d\S+ .*\n)*? +\d\S+ .*Bergen/);
  expect(demo).toMatch(/\n\d+ memories of demo-nora are kept/);

  const second = await runToEnd('standalone', {
    ...env,
    GATEWAY_PORT: '0',
    RETRIEVAL_PORT: '0',
    EXTRACTOR_PORT: '0',
  });
  expect(second.code).toBe(1);
  expect(oneLine(second.output)).toHaveLength(1);
  expect(second.output).toContain('another');
  expect(first.isRunning()).toBe(true);
  expect(await interrupt(first)).toBe(0);

  const again = await start();
  const { data } = (await printed(list)) as { data: { content: string }[] };
  expect(data.map((memory) => memory.content)).toEqual(contents);
  expect(await interrupt(again)).toBe(0);
});

test('a port that is taken is named, and nothing stays behind', async () => {
  const blocker = createServer();
  await new Promise<void>((resolve) => blocker.listen(0, '127.0.0.1', resolve));
  const { port } = blocker.address() as AddressInfo;
  const { code, output } = await runToEnd('standalone', { ...env, GATEWAY_PORT: String(port) });
  await new Promise((resolve) => blocker.close(resolve));
  expect(code).toBe(1);
  expect(oneLine(output)).toHaveLength(1);
  expect(output).toContain(String(port));
  const running = await start();
  expect(await interrupt(running)).toBe(0);
});

test('a bad configuration is named, without its values', async () => {
  const { code, output } = await runToEnd('standalone', { ...env, EXTRACTOR_CONCURRENCY: 'Xylophone' });
  expect(code).toBe(1);
  expect(oneLine(output)).toHaveLength(1);
  expect(output).toContain('EXTRACTOR_CONCURRENCY');
  expect(output).not.toContain('Xylophone');
});
