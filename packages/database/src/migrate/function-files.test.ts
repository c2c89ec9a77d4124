import { describe, expect, test } from '@jest/globals';
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  type FunctionFiles,
  loadFunctionFiles,
  nextRevision,
  parseFunctionFile,
  REVISION_FILE,
} from './function-files.ts';
import { SCHEMA_DIRECTORY } from './schema-files.ts';
import { type AppliedFunction, assertNotNewer, compareFunctions } from './schema-functions.ts';

const create = (name: string, requires = '') =>
  `-- Answers 1.\n${requires}create or replace function ${name}() returns integer language sql return 1;\n`;

describe('parseFunctionFile', () => {
  test('reads the name and what is required', () => {
    expect(parseFunctionFile('function', 'one.sql', create('one'))).toMatchObject({
      name: 'one',
      requires: [],
    });
    expect(
      parseFunctionFile('function', 'one.sql', create('one', '-- requires: two, three\n')).requires,
    ).toEqual(['two', 'three']);
  });

  test.each([
    ['another name', 'two.sql', create('one')],
    ['two statements', 'one.sql', create('one') + create('one')],
    ['no comment', 'one.sql', create('one').replace('-- Answers 1.\n', '')],
    ['no statement that can be repeated', 'one.sql', '-- Answers 1.\ncreate function one() …'],
  ])('refuses %s', (_what, fileName, text) => {
    expect(() => parseFunctionFile('function', fileName, text)).toThrow('hold one statement');
  });
});

describe('loadFunctionFiles', () => {
  async function load(texts: Record<string, string>): Promise<readonly string[]> {
    const directory = await mkdtemp(join(tmpdir(), 'factmill-functions-'));
    try {
      for (const folder of ['functions', 'triggers']) await mkdir(join(directory, folder));
      for (const [path, text] of Object.entries(texts)) await writeFile(join(directory, path), text);
      return (await loadFunctionFiles(directory)).files.map(({ name }) => name);
    } finally {
      await rm(directory, { recursive: true });
    }
  }

  test('has functions after what they require, and triggers last', async () => {
    await expect(
      load({
        'triggers/a_trigger.sql': '-- Fires.\ncreate or replace trigger a_trigger after insert on t …',
        'functions/b.sql': create('b', '-- requires: c, d\n'),
        'functions/c.sql': create('c', '-- requires: d\n'),
        'functions/d.sql': create('d'),
        'functions/e.sql': create('e'),
      }),
    ).resolves.toEqual(['d', 'e', 'c', 'b', 'a_trigger']);
  });

  test('refuses functions that require each other', async () => {
    await expect(
      load({
        'functions/b.sql': create('b', '-- requires: c\n'),
        'functions/c.sql': create('c', '-- requires: b\n'),
      }),
    ).rejects.toThrow('require each other');
  });

  test('the revision is the one of the files', async () => {
    const files = await loadFunctionFiles(SCHEMA_DIRECTORY);
    // When this fails: run src/migrate/write-schema.ts, which gives the functions their next revision.
    expect(nextRevision(files)).toBe(await readFile(join(SCHEMA_DIRECTORY, REVISION_FILE), 'utf8'));
  });
});

describe('a program of revision 2', () => {
  const one = parseFunctionFile('function', 'one.sql', create('one'));
  const functions: FunctionFiles = { revision: 2, revisionChecksum: '', files: [one] };
  const applied = { name: 'function one', checksum: one.checksum, revision: 2, isThere: true };
  const changesFor = (...entries: AppliedFunction[]) => compareFunctions(functions, entries);

  test('has nothing to do where its functions are', () => {
    expect(changesFor(applied)).toEqual({ isNewer: false, outdated: [], removed: [] });
  });

  test('creates what is missing, was dropped or has another content', () => {
    for (const entries of [[], [{ ...applied, isThere: false }], [{ ...applied, checksum: 'other' }]]) {
      expect(changesFor(...entries).outdated).toEqual([one]);
    }
  });

  test('forgets what has no file any more', () => {
    expect(changesFor(applied, { ...applied, name: 'function two' }).removed).toEqual(['function two']);
  });

  test('touches nothing of revision 3, whatever it is', () => {
    const newer = { name: 'function two', checksum: 'other', revision: 3, isThere: true };
    expect(changesFor(newer)).toEqual({ isNewer: true, outdated: [], removed: [] });
  });

  test('is refused where revision 3 is and its own migrations are not', () => {
    const migration = { number: 1, name: '0001_first.sql', sql: '', checksum: '', needsTrigram: false };
    const newer = [{ ...applied, revision: 3 }];
    expect(() => assertNotNewer([migration], functions, newer)).toThrow('newer than both');
    expect(() => assertNotNewer([{ ...migration, needsTrigram: true }], functions, newer)).not.toThrow();
    expect(() => assertNotNewer([migration], functions, [applied])).not.toThrow();
  });
});
