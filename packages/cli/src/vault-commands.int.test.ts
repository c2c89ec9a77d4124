import { createPool, migrate } from '@factmill/database';
import { startProcess } from '@factmill/testkit';
import { openTestDatabase } from '@factmill/testkit/jest';
import { afterAll, expect, test } from '@jest/globals';
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const ENTRY = fileURLToPath(new URL('./main.ts', import.meta.url));
const { database, connectionString } = await openTestDatabase({ createPool, migrate });
const cwd = await mkdtemp(join(tmpdir(), 'factmill-cli-vault-'));
afterAll(() => rm(cwd, { recursive: true, force: true }));

async function sync(env: Record<string, string>) {
  const args = ['vault', 'sync'];
  const child = await startProcess({
    entry: ENTRY,
    args,
    env: { DATABASE_URL: connectionString, ...env },
    cwd,
  });
  const { code } = await child.exit;
  return { code, output: child.output() };
}

test('factmill vault sync makes one pass, and says what it did', async () => {
  const vault = join(cwd, 'vault');
  await mkdir(join(vault, 'alice/entries'), { recursive: true });
  await writeFile(join(vault, 'alice/entries/a.md'), 'Likes tea.');
  await writeFile(join(vault, 'alice/entries/b.md'), '---\ntier: 9\n---\nLikes mate.');
  const { code, output } = await sync({ VAULT_DIR: vault });
  expect([code, output]).toEqual([
    0,
    [
      'Files:    1 written, 0 removed, 0 kept aside',
      'Memories: 1 created, 0 changed, 0 deleted',
      '1 files wait; factmill-report.md in the vault says why.',
      '',
    ].join('\n'),
  ]);
  expect(await readFile(join(vault, 'alice/entries/a.md'), 'utf8')).toMatch(
    /^---\nid: [^]*\n\nLikes tea\.\n$/,
  );
  const { rows } = await database.query('select content from memories');
  expect(rows).toEqual([{ content: 'Likes tea.' }]);
});

test('it says what is missing', async () => {
  expect(await sync({})).toEqual({
    code: 1,
    output: 'factmill: VAULT_DIR has to be set: it is the folder of the vault.\n',
  });
  expect(await sync({ VAULT_DIR: join(cwd, 'vault'), VAULT_TENANT: 'nobody' })).toEqual({
    code: 1,
    output: 'factmill: VAULT_TENANT: there is no tenant with this name.\n',
  });
});
