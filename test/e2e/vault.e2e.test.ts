import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { freePort, type RunningProcess, startProcess, waitFor } from '@factmill/testkit';
import { afterAll, beforeAll, expect, jest, test } from '@jest/globals';
import { entryOf } from '../support/service-process.ts';

jest.setTimeout(400_000);

let folder: string;
let env: Record<string, string>;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'factmill-vault-e2e-'));
  env = {
    DATA_DIR: join(folder, 'data'),
    VAULT_DIR: join(folder, 'vault'),
    EMBEDDING_PROVIDER: 'none',
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
    timeoutMs: 150_000,
  });
}

async function api<T>(method: string, path: string, body?: unknown): Promise<T> {
  const response = await fetch(`http://127.0.0.1:${env['GATEWAY_PORT']}/v1${path}`, {
    method,
    headers: { 'Content-Type': 'application/json' },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  expect(response.ok).toBe(true);
  return (await response.json()) as T;
}

const facts = () => join(folder, 'vault/alice/entries/global/facts');

async function contents(): Promise<string[]> {
  const { data } = await api<{ data: { content: string }[] }>('GET', '/memories?user_id=alice');
  return data.map(({ content }) => content).toSorted();
}

test('npm start with a vault: calls become files, edits become memories, also those made while it was killed', async () => {
  let running = await start();
  try {
    await api('POST', '/memories', { user_id: 'alice', content: 'Likes tea.' });
    const name = await waitFor(async () => (await readdir(facts()))[0], { describe: 'a file' });
    const path = join(facts(), name);
    expect(await readFile(path, 'utf8')).toMatch(/^---\nid: [^]*\n---\n\nLikes tea\.\n$/);

    await writeFile(path, (await readFile(path, 'utf8')).replace('Likes tea.', 'Likes mate.'));
    await waitFor(async () => (await contents()).includes('Likes mate.'), { describe: 'the edit' });

    await running.kill('SIGKILL');
    await writeFile(path, (await readFile(path, 'utf8')).replace('Likes mate.', 'Likes coffee.'));
    await writeFile(join(facts(), 'new.md'), 'Likes swimming.\n');
    running = await start();
    await waitFor(async () => (await contents()).length === 2, {
      describe: 'the new file',
      timeoutMs: 30_000,
    });
    await waitFor(async () => (await contents()).includes('Likes coffee.'), { describe: 'the other edit' });
    expect(await contents()).toEqual(['Likes coffee.', 'Likes swimming.']);

    const startedAt = performance.now();
    await running.kill('SIGTERM');
    expect(await running.exit).toMatchObject({ code: 0 });
    expect(performance.now() - startedAt).toBeLessThan(12_000);
  } finally {
    await running.kill('SIGKILL');
  }
});
