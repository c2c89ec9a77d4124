import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { cp, mkdir, mkdtemp, readdir, readFile, rm, stat, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { create } from 'tar';
import { createPool } from '../pool/create-pool.ts';
import { backUpEmbedded, restoreEmbedded } from './backup.ts';
import { startEmbedded } from './start-embedded.ts';

// Creating a database takes 3 s of one core.
const logger = { info: () => undefined, warn: () => undefined };
let parent: string;
let dataDir: string;
let file: string;
const at = (name: string) => join(parent, name);

beforeAll(async () => {
  parent = await mkdtemp(join(tmpdir(), 'factmill-backup-'));
  dataDir = at('data');
  file = at('backup.tar.gz');
  await withDatabase(dataDir, 'create table kept as select n from generate_series(1, 1000) n');
  await backUpEmbedded({ dataDir, file });
});
afterAll(() => rm(parent, { recursive: true, force: true }));

async function withDatabase<Row>(directory: string, text: string): Promise<Row[]> {
  const embedded = await startEmbedded({ dataDir: directory, logger });
  const pool = createPool({
    connectionString: embedded.connectionString,
    max: 1,
    applicationName: 'factmill-test',
    logger,
  });
  try {
    return (await pool.query<Row>(text)).rows;
  } finally {
    await pool.close();
    await embedded.close();
  }
}

describe('a backup of embedded storage', () => {
  test('is one file for its owner only, from which the database comes back', async () => {
    expect((await stat(file)).mode & 0o777).toBe(0o600);
    expect((await readdir(parent)).toSorted()).toEqual(['backup.tar.gz', 'data']);
    await restoreEmbedded({ dataDir: at('restored'), file });
    await expect(withDatabase(at('restored'), 'select count(*)::integer as n from kept')).resolves.toEqual([
      { n: 1000 },
    ]);
  });

  test('replaces what an interrupted one left, and never a file that is there', async () => {
    await writeFile(at('second.tar.gz.unfinished'), 'rest');
    await backUpEmbedded({ dataDir, file: at('second.tar.gz') });
    await expect(backUpEmbedded({ dataDir, file: at('second.tar.gz') })).rejects.toThrow('exists already');
    expect(await readdir(parent)).not.toContain('second.tar.gz.unfinished');
  });

  test('is not made while an instance runs', async () => {
    const running = await startEmbedded({ dataDir, logger });
    try {
      await expect(backUpEmbedded({ dataDir, file: at('third.tar.gz') })).rejects.toMatchObject({
        code: 'data_dir_locked',
      });
    } finally {
      await running.close();
    }
    expect(await readdir(parent)).not.toContain('third.tar.gz');
  });

  test.each([
    ['a folder without a database', () => ({ dataDir: at('nothing'), file: at('x') }), 'nothing to back up'],
    ['into the data folder', () => ({ dataDir, file: join(dataDir, 'x') }), 'outside of the data folder'],
    ['into a folder that is not there', () => ({ dataDir, file: at('missing/x') }), 'does not exist'],
    ['below a file', () => ({ dataDir, file: join(file, 'x') }), 'does not exist'],
  ])('of %s is refused with one sentence', async (_what, where, sentence) => {
    const before = await readdir(parent);
    await expect(backUpEmbedded(where())).rejects.toMatchObject({
      code: 'config_invalid',
      message: expect.stringContaining(sentence),
    });
    expect(await readdir(parent)).toEqual(before);
  });
});

describe('a restore', () => {
  test('does not touch a database that is there, nor other files', async () => {
    await expect(restoreEmbedded({ dataDir, file })).rejects.toThrow('is not overwritten');
    await rm(join(dataDir, 'factmill.json'));
    await expect(restoreEmbedded({ dataDir, file })).rejects.toThrow('is not overwritten');
    await mkdir(at('documents'));
    await writeFile(at('documents/letter.txt'), 'Dear');
    await expect(restoreEmbedded({ dataDir: at('documents'), file })).rejects.toThrow('not Factmill’s');
    expect(await readdir(at('documents'))).toEqual(['letter.txt']);
    await expect(withDatabase(dataDir, 'select 1 as one from kept limit 1')).resolves.toHaveLength(1);
  });

  test.each<[string, (bytes: Buffer) => Buffer]>([
    ['cut off in the middle', (bytes) => bytes.subarray(0, bytes.length / 2)],
    ['cut off at its end', (bytes) => bytes.subarray(0, -8)],
    ['changed in one byte', (bytes) => flip(bytes, Math.floor(bytes.length / 3))],
    ['changed in its checksum', (bytes) => flip(bytes, bytes.length - 6)],
    ['empty', () => Buffer.alloc(0)],
    ['of something else', () => Buffer.from('PGDMP and so on, which is a dump of Postgres')],
  ])('of a file that is %s leaves nothing', async (_what, damage) => {
    const damaged = at('damaged.tar.gz');
    await writeFile(damaged, damage(Buffer.from(await readFile(file))));
    await expect(restoreEmbedded({ dataDir: at('from-damaged'), file: damaged })).rejects.toMatchObject({
      code: 'config_invalid',
      message: expect.stringContaining('damaged or cut off'),
    });
    expect(await readdir(parent)).not.toContain('from-damaged');
  });

  test.each<[string, (folder: string) => Promise<readonly string[]>]>([
    ['other files', async (folder) => [await put(folder, 'letter.txt')]],
    [
      'a link',
      async (folder) => {
        await symlink('/etc', join(folder, 'postgres/pg_wal_elsewhere'));
        return [];
      },
    ],
  ])('of an archive with %s is refused', async (_what, add) => {
    const folder = await mkdtemp(at('strange-'));
    await cp(dataDir, folder, { recursive: true });
    const more = await add(folder);
    const strange = `${folder}.tar.gz`;
    await create({ file: strange, cwd: folder, gzip: true }, ['factmill.json', 'postgres', ...more]);
    await expect(restoreEmbedded({ dataDir: `${folder}-restored`, file: strange })).rejects.toMatchObject({
      code: 'config_invalid',
    });
    expect(await readdir(parent)).not.toContain(`${folder}-restored`);
  });

  test('of another version of Postgres says so', async () => {
    const folder = at('older');
    await mkdir(join(folder, 'postgres'), { recursive: true });
    await put(folder, 'factmill.json');
    await writeFile(join(folder, 'postgres/PG_VERSION'), '17\n');
    const older = at('older.tar.gz');
    await create({ file: older, cwd: folder, gzip: true }, ['factmill.json', 'postgres']);
    await expect(restoreEmbedded({ dataDir: at('from-older'), file: older })).rejects.toThrow(
      'was written by Postgres 17',
    );
  });

  test('of a file that is not there says so', async () => {
    await expect(restoreEmbedded({ dataDir: at('from-none'), file: at('none') })).rejects.toThrow(
      'does not exist',
    );
  });
});

function flip(bytes: Buffer, index: number): Buffer {
  bytes[index] = (bytes[index] ?? 0) ^ 0x40;
  return bytes;
}

async function put(folder: string, name: string): Promise<string> {
  await writeFile(join(folder, name), '{}');
  return name;
}
