import { createChangeSignal } from '@factmill/async';
import { createPool, migrate } from '@factmill/database';
import { patiently, waitFor } from '@factmill/testkit';
import { openTestDatabase } from '@factmill/testkit/jest';
import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import { rename } from 'node:fs/promises';
import { v7 as newId } from 'uuid';
import { createFolderScan } from './folder-scan.ts';
import { openVault, type Vault } from './open-vault.ts';
import { createStand, type Stand } from './stand.fixture.ts';
import { syncVault } from './sync-vault.ts';

const { database } = await openTestDatabase({ createPool, migrate });
let stand: Stand;
let vault: Vault | null = null;

beforeEach(async () => {
  stand = await createStand(database);
});

afterEach(async () => {
  await vault?.close();
  vault = null;
  await stand.close();
});

const optionsOf = (signal = createChangeSignal()) => ({
  dir: stand.dir,
  tenantId: stand.tenantId,
  maxFiles: 1_000,
  scanIntervalMs: 60_000,
  database,
  wantsEmbedding: false,
  embedLater: async () => undefined,
  newId: () => newId(),
  now: () => new Date(),
  clock: () => performance.now(),
  logger: { info: () => undefined, warn: () => undefined },
  signal,
});

async function within2s(describe: string, fn: () => Promise<boolean>): Promise<void> {
  const startedAt = performance.now();
  await waitFor(fn, { describe, timeoutMs: 2_000 });
  expect(performance.now() - startedAt).toBeLessThan(patiently(2_000));
}

describe.each([
  ['among other processes', null],
  ['alone with its database', createChangeSignal()],
] as const)('a followed vault, %s', (_name, signal) => {
  test('takes edits and writes changes within two seconds, without being asked', async () => {
    const id = await stand.save('alice', { content: 'Likes tea.' });
    vault = await openVault({ ...optionsOf(), signal });
    await waitFor(async () => (await stand.files()).length === 1, { describe: 'the first file' });
    const [path = ''] = await stand.files();
    const contents = async () => (await stand.memories('alice')).map(({ content }) => content).toSorted();

    await stand.write(path, (await stand.read(path)).replace('Likes tea.', 'Likes mate.'));
    await within2s('an edit', async () => (await contents()).includes('Likes mate.'));

    await stand.write('alice/entries/global/new folder/a.md', 'Likes swimming.');
    await within2s('a new file in a new folder', async () => (await contents()).includes('Likes swimming.'));

    await rename(stand.at(path), stand.at('moved.txt'));
    await within2s('a deletion', async () => (await contents()).length === 1);

    await stand.save('alice', { content: 'Likes hiking.' });
    signal?.changed();
    await within2s('a new memory', async () => (await stand.files()).length === 2);
    expect((await stand.versions('alice', id)).at(-1)).toMatchObject({ operation: 'DELETE', actor: 'vault' });
  });
});

test('one pass does everything that waits, and tells what', async () => {
  await stand.save('alice', { content: 'Likes tea.' });
  await stand.write('alice/entries/global/a.md', 'Likes swimming.');
  await stand.write('alice/entries/global/b.md', '---\ntier: 9\n---\nLikes hiking.');
  const options = optionsOf();
  const result = await syncVault(options, 60_000, new AbortController().signal);
  expect(result).toEqual({
    written: 2,
    removed: 0,
    created: 1,
    changed: 0,
    deleted: 0,
    conflicts: 0,
    waiting: 1,
  });
  const again = await syncVault(options, 60_000, new AbortController().signal);
  expect(again).toMatchObject({ written: 0, created: 0, waiting: 1 });
});

test('a scan that is asked for while another one looks is not forgotten', async () => {
  await stand.sync();
  const session = stand.session();
  if (session === null) throw new Error('the vault is not open');
  const scan = createFolderScan(session, 60_000);
  const looking = scan.run(new AbortController().signal);
  scan.soon();
  await looking;
  expect(scan.isDue()).toBe(true);
  await scan.run(new AbortController().signal);
  expect(scan.isDue()).toBe(false);
});

test('one pass is refused while the vault is followed', async () => {
  await stand.sync();
  await expect(syncVault(optionsOf(), 1_000, new AbortController().signal)).rejects.toMatchObject({
    code: 'state_conflict',
  });
});
