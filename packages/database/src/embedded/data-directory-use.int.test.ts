import { mkdir, mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { isAppError } from '@factmill/errors';
import { startEmbedded } from './start-embedded.ts';

const logger = { info: () => undefined, warn: () => undefined };
let parent: string;

beforeAll(async () => {
  parent = await mkdtemp(join(tmpdir(), 'factmill-folder-'));
});
afterAll(() => rm(parent, { recursive: true }));

async function refusalOf(dataDir: string): Promise<string> {
  try {
    await startEmbedded({ dataDir, logger });
  } catch (error) {
    if (isAppError(error) && error.code === 'config_invalid') return error.message;
    throw error;
  }
  throw new Error('it was started');
}

/** In /proc and /sys nobody can create anything, the superuser included. */
test.each(['/proc/x', '/proc/self/x/y', '/sys/x'])('%s is refused at once', async (folder) => {
  const refusal = await refusalOf(folder);
  expect(refusal).toMatch(
    /^The data folder \(DATA_DIR\) (?:cannot be|is on a file system)[^.]*DATA_DIR[^.]*\.$/,
  );
});

test('a file, and what lies below one, is refused', async () => {
  const file = join(parent, 'file');
  await writeFile(file, '');
  for (const folder of [file, join(file, 'data'), join(file, 'a', 'b')]) {
    expect(await refusalOf(folder)).toBe(
      'The data folder (DATA_DIR) is a file, or below one; set DATA_DIR to a folder.',
    );
  }
});

test.each(['notes.txt', 'postgres', 'PG_VERSION'])(
  'a folder with a foreign %s is left as it is',
  async (name) => {
    const folder = join(parent, `foreign-${name}`);
    await mkdir(join(folder, name), { recursive: true });
    await writeFile(join(folder, name, 'kept'), '');
    expect(await refusalOf(folder)).toContain('has files in it that are not Factmill’s');
    expect(await readdir(folder)).toEqual([name]);
    expect(await readdir(join(folder, name))).toEqual(['kept']);
  },
);

test('a database without its files is named, not taken for a new one', async () => {
  const folder = join(parent, 'emptied');
  await mkdir(folder);
  await writeFile(join(folder, 'factmill.json'), '{"postgresMajor":18}\n');
  expect(await refusalOf(folder)).toMatch(/^The data folder \(DATA_DIR\) cannot be used \(ENOENT\)/);
});
