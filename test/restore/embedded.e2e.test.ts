import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Client, createClient } from '@factmill/client';
import { freePort, type RunningProcess, startProcess } from '@factmill/testkit';
import { afterAll, beforeAll, expect, jest, test } from '@jest/globals';
import { entryOf } from '../support/service-process.ts';
import { createOperator, documentedCommands, type Operator } from './documented-commands.ts';
import { ADMIN_KEY, searchAll } from './memory-services.ts';

// Each start of the embedded database takes some seconds of one core.
jest.setTimeout(480_000);

let folder: string;
let operator: Operator;
beforeAll(async () => {
  // The commands name files beside the folder in which they are run.
  folder = join(await mkdtemp(join(tmpdir(), 'factmill-embedded-')), 'app');
  await mkdir(folder);
  operator = await createOperator({ folder, pgBinDir: '/nowhere', env: {} });
});
afterAll(() => rm(join(folder, '..'), { recursive: true, force: true }));

async function start(dataDir: string): Promise<RunningProcess & { clientOf(key: string): Client }> {
  const port = await freePort();
  const running = await startProcess({
    entry: entryOf('standalone'),
    cwd: folder,
    env: {
      DATA_DIR: dataDir,
      GATEWAY_PORT: String(port),
      RETRIEVAL_PORT: '0',
      EXTRACTOR_PORT: '0',
      AUTH: 'required',
      ADMIN_API_KEY: ADMIN_KEY,
    },
    readyWhen: /Stop with Ctrl-C/,
    timeoutMs: 120_000,
  });
  const baseUrl = `http://127.0.0.1:${port}`;
  return { ...running, clientOf: (apiKey) => createClient({ baseUrl, apiKey, userId: 'maya' }) };
}

test('embedded storage comes back from its backup in a new folder, and goes on', async () => {
  const [backup = '', restore = '', ...others] = await documentedCommands('### Embedded storage');
  expect(others).toEqual([]);

  const first = await start('data');
  const { key } = await first
    .clientOf(ADMIN_KEY)
    .apiKeys.create({ name: 'app', permissions: ['memory.read', 'memory.write'] });
  const client = first.clientOf(key);
  const { extraction } = await client.conversations.post('first', {
    extract: 'now',
    messages: [{ role: 'user', content: 'I live in Lisbon and I work as a nurse. My dog is called Bruno.' }],
  });
  await client.extractions.waitFor(extraction?.id ?? '', { timeoutMs: 60_000 });
  await client.memories.create({ key: 'favourite_tea', value: 'lapsang souchong' });
  const found = await searchAll(client);
  const memories = (await client.memories.list()).data;

  await expect(operator(backup)).rejects.toThrow('in use by another running instance');
  const accepted = await client.extractions.create({
    user_id: 'noah',
    messages: [{ role: 'user', content: 'My cat is called Mimi.' }],
  });
  // Killed with work at hand: what was accepted is in the backup.
  await first.kill('SIGKILL');
  expect(await operator(backup)).toMatch(/Backed up \d+ memories to .*factmill\.tar\.gz/);
  await rm(join(folder, 'data'), { recursive: true });

  await operator(restore);
  await expect(operator(restore)).rejects.toThrow('not overwritten');
  const second = await start('../factmill-restored');
  const restored = second.clientOf(key);
  expect(await searchAll(restored)).toEqual(found);
  const done = await restored.extractions.waitFor(accepted.id ?? '', { timeoutMs: 90_000 });
  expect(done).toMatchObject({ state: 'done', counts: { added: 1 } });
  expect((await restored.memories.list({ user_id: 'noah' })).data).toHaveLength(1);
  expect((await restored.memories.list()).data.map(({ id }) => id)).toEqual(memories.map(({ id }) => id));
  await second.kill('SIGTERM');
});
