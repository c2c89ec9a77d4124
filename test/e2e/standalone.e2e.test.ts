import { execFile } from 'node:child_process';
import { mkdtemp, rm, stat, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { freePort, type RunningProcess, startProcess, waitFor } from '@factmill/testkit';
import { afterAll, beforeAll, expect, jest, test } from '@jest/globals';
import { entryOf, runToEnd } from '../support/service-process.ts';

jest.setTimeout(400_000);

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
    // A database is created and a model loaded: 10 s, on a busy machine many times that.
    timeoutMs: 150_000,
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

/** What `npm run demo` prints in a folder whose `.env` says where Factmill is. */
async function playDemo(): Promise<string> {
  const demo = fileURLToPath(new URL('../../services/standalone/src/demo.ts', import.meta.url));
  await writeFile(join(folder, '.env'), `GATEWAY_PORT=${env['GATEWAY_PORT']}\n`);
  const { GATEWAY_PORT: _, ...environment } = process.env;
  const options = { cwd: folder, env: environment };
  const { stdout } = await run(process.execPath, ['--conditions=factmill-source', demo], options);
  await rm(join(folder, '.env'));
  return stdout;
}

async function post(path: string, body: object): Promise<unknown> {
  const response = await fetch(`http://127.0.0.1:${env['GATEWAY_PORT']}${path}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(body),
  });
  return response.json();
}

const oneLine = (output: string) => output.trim().split('\n');

/** One process after the other, since what is tested is what a person does with it. */
test('the first start works as printed, Ctrl-C ends it, and a second start finds the data', async () => {
  const first = await start();
  const output = first.output();
  const [extract = '', search = '', list = ''] = output.match(/curl .+/g) ?? [];
  // The very first search, before anything was embedded.
  const hand = { user_id: 'first', content: 'The user is allergic to peanuts.' };
  await post('/v1/memories', hand);
  expect(await post('/v1/memories/search', { user_id: 'first', query: 'nuts' })).not.toHaveProperty(
    'degraded',
  );
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

  const demo = await playDemo();
  expect(demo).toMatch(/\+ .*Trondheim/);
  // The best answer of each question, which is the line below it.
  expect([...demo.matchAll(/^ {2}\S.*\?\n +(\d\S+) {2}(.*)/gm)].map(([, , best]) => best)).toEqual([
    expect.stringContaining('Bergen'),
    expect.stringContaining('marine biologist'),
    expect.stringContaining('cello'),
    expect.stringContaining('peanuts'),
    expect.stringContaining('Pixel'),
  ]);
  expect(demo).toMatch(/\n\d+ memories of demo-nora are kept/);
  expect(demo).toMatch(/lives in Bergen.*\n +before: .*Trondheim.*\n +2026-04-14 “I moved/);

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
  expect(first.output()).toMatch(/\nFactmill has stopped\. Nothing is lost.*\n$/);

  const again = await start();
  const { data } = (await printed(list)) as { data: { content: string }[] };
  expect(data.map((memory) => memory.content)).toEqual(contents);
  expect(await interrupt(again)).toBe(0);
});

test('a port that is taken is named, and nothing stays behind', async () => {
  const blocker = createServer();
  await new Promise<void>((resolve) => blocker.listen(0, '127.0.0.1', resolve));
  const { port } = blocker.address() as AddressInfo;
  // On a folder of its own: the port is looked at before a database is created.
  const dataDir = join(folder, 'never');
  const { code, output } = await runToEnd('standalone', {
    ...env,
    DATA_DIR: dataDir,
    GATEWAY_PORT: String(port),
  });
  await expect(stat(dataDir)).rejects.toMatchObject({ code: 'ENOENT' });
  await new Promise((resolve) => blocker.close(resolve));
  expect(code).toBe(1);
  expect(oneLine(output)).toHaveLength(1);
  expect(output).toContain(`Port ${port} on 127.0.0.1 is already in use`);
  expect(output).toContain('set GATEWAY_PORT to');
  expect(output).not.toMatch(/RETRIEVAL_PORT|EXTRACTOR_PORT/);
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

test('a misspelt variable is named with the one that was meant, and help starts nothing', async () => {
  const { output } = await runToEnd('standalone', { ...env, LLM_MODLE: 'Xylophone', MAX_ATTEMPTS: 'x' });
  expect(output).toContain('factmill: LLM_MODLE is not a setting; did you mean LLM_MODEL?\n');
  expect(output).not.toContain('Xylophone');
  const { stdout } = await run(process.execPath, [
    '--conditions=factmill-source',
    entryOf('standalone'),
    '--help',
  ]);
  expect(stdout).toContain('npm run demo');
});
