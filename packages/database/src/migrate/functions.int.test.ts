import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { createEmptyDatabase, type TestDatabase } from '@factmill/testkit';
import { createPool } from '../pool/create-pool.ts';
import type { DatabasePool } from '../pool/sql.ts';
import { assertSchemaVersion } from './assert-schema-version.ts';
import { migrate } from './migrate.ts';

const logger = { info: () => undefined, warn: () => undefined };
let database: TestDatabase;
let pool: DatabasePool;
let parent: string;

beforeEach(async () => {
  parent = await mkdtemp(join(tmpdir(), 'factmill-functions-'));
  database = await createEmptyDatabase();
  const { connectionString } = database;
  pool = createPool({ connectionString, max: 2, applicationName: 'factmill-test', logger });
});
afterEach(async () => {
  await pool.close();
  await database.drop();
  await rm(parent, { recursive: true });
});

type Program = Readonly<{ directory: string; migrate: () => ReturnType<typeof migrate> }>;

/** A version of the program with these files and this revision of its functions. */
async function programWith(revision: number, files: Record<string, string>): Promise<Program> {
  const directory = await mkdtemp(join(parent, 'program-'));
  await mkdir(join(directory, 'migrations'));
  for (const [path, text] of Object.entries({ 'functions/revision.txt': `${revision} -\n`, ...files })) {
    await mkdir(dirname(join(directory, path)), { recursive: true });
    await writeFile(join(directory, path), text);
  }
  return { directory, migrate: () => migrate(database.connectionString, { logger, directory }) };
}

const FIRST = { 'migrations/0001_first.sql': 'create table a (id integer);' };
const answering = (answer: number, parameters = '') => ({
  'functions/answer.sql': `-- Answers a number.\ncreate or replace function answer(${parameters}) returns integer language sql return ${answer};\n`,
});
const answer = async () => (await pool.one<{ answer: number }>('select answer()')).answer;

describe('functions', () => {
  test('are created after the migrations, and replaced when they have changed', async () => {
    const counting = {
      'functions/count_rows.sql':
        '-- Counts.\n-- requires: answer\ncreate or replace function count_rows() returns bigint language sql\n' +
        'begin atomic select count(*) + answer() from a; end;\n',
    };
    const first = await programWith(1, { ...FIRST, ...answering(1), ...counting });
    await expect(first.migrate()).resolves.toMatchObject({ functions: ['answer', 'count_rows'] });
    await expect(first.migrate()).resolves.toMatchObject({ applied: [], functions: [] });
    const second = await programWith(2, { ...FIRST, ...answering(2), ...counting });
    await expect(assertSchemaVersion(pool, { logger, directory: second.directory })).rejects.toMatchObject({
      code: 'schema_outdated',
      message: expect.stringContaining('Functions in the database are out of date: answer.'),
    });
    await expect(second.migrate()).resolves.toMatchObject({ applied: [], functions: ['answer'] });
    await expect(pool.one('select count_rows() as n')).resolves.toEqual({ n: 2 });
  });

  test('20 starters at once create each once', async () => {
    const program = await programWith(1, { ...FIRST, ...answering(1) });
    const results = await Promise.all(Array.from({ length: 20 }, () => program.migrate()));
    expect(results.flatMap(({ functions }) => functions)).toEqual(['answer']);
    const changed = await programWith(2, { ...FIRST, ...answering(2) });
    const again = await Promise.all(Array.from({ length: 20 }, () => changed.migrate()));
    expect(again.flatMap(({ functions }) => functions)).toEqual(['answer']);
  });

  test('that were dropped by hand come back, triggers too', async () => {
    const program = await programWith(1, {
      ...FIRST,
      'functions/refuse.sql':
        '-- Refuses.\ncreate or replace function refuse() returns trigger language plpgsql as $$ begin return null; end $$;\n',
      'triggers/a_refused.sql':
        '-- Refuses rows.\ncreate or replace trigger a_refused before insert on a for each row execute function refuse();\n',
    });
    await program.migrate();
    await pool.query('drop function refuse() cascade');
    await expect(program.migrate()).resolves.toMatchObject({ functions: ['refuse', 'a_refused'] });
    await expect(pool.query('insert into a values (1)')).resolves.toMatchObject({ rowCount: 0 });
  });

  test('a file that fails leaves everything as it was', async () => {
    await (await programWith(1, { ...FIRST, ...answering(1) })).migrate();
    const broken = await programWith(2, {
      ...FIRST,
      'migrations/0002_second.sql': 'create table b (id integer);',
      ...answering(2),
      'functions/broken.sql':
        '-- Fails.\ncreate or replace function broken() returns integer language sql return nothing;\n',
    });
    await expect(broken.migrate()).rejects.toThrow('0002_second.sql failed: the function broken');
    await expect(answer()).resolves.toBe(1);
    await expect(pool.one(`select to_regclass('b') is null as "isNone"`)).resolves.toEqual({ isNone: true });
  });
});

describe('another signature', () => {
  test('is refused without a migration that drops the function', async () => {
    await (await programWith(1, { ...FIRST, ...answering(1) })).migrate();
    const changed = await programWith(2, { ...FIRST, ...answering(2, 'more integer default 0') });
    await expect(changed.migrate()).rejects.toThrow('more than one signature: answer');
    await expect(answer()).resolves.toBe(1);
  });

  test('with it, running processes that call the function never miss it', async () => {
    await (await programWith(1, { ...FIRST, ...answering(1) })).migrate();
    const changed = await programWith(2, {
      ...FIRST,
      'migrations/0002_second.sql': 'drop function answer(); select pg_sleep(0.3);',
      ...answering(2, 'more integer default 0'),
    });
    const migrating = changed.migrate();
    const answers = new Set<number>();
    while (!answers.has(2)) answers.add(await answer());
    await migrating;
    expect([...answers]).toEqual([1, 2]);
  });
});

describe('while programs are replaced', () => {
  test('an older program restores no old function and works with the newer ones', async () => {
    const older = await programWith(1, { ...FIRST, ...answering(1) });
    const newer = await programWith(2, { ...FIRST, ...answering(2) });
    await older.migrate();
    await newer.migrate();
    await expect(older.migrate()).resolves.toMatchObject({ applied: [], functions: [] });
    await expect(assertSchemaVersion(pool, { logger, directory: older.directory })).resolves.toBeDefined();
    await expect(answer()).resolves.toBe(2);
    await expect(newer.migrate()).resolves.toMatchObject({ functions: [] });
  });

  test('an older one puts nothing back beside newer migrations either, and does not start', async () => {
    const older = await programWith(1, { ...FIRST, ...answering(1) });
    const newer = await programWith(2, {
      ...FIRST,
      'migrations/0002_second.sql': 'create table b (id integer);',
      ...answering(2),
    });
    await newer.migrate();
    const outdated = { code: 'schema_outdated', message: expect.stringContaining('newer than this program') };
    await expect(older.migrate()).rejects.toMatchObject(outdated);
    await expect(assertSchemaVersion(pool, { logger, directory: older.directory })).rejects.toMatchObject(
      outdated,
    );
    await expect(answer()).resolves.toBe(2);
  });
});
