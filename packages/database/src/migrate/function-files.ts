import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { AppError } from '@factmill/errors';
import { checksumOf, withUnixLineEnds } from './migration-files.ts';

/** One function or trigger: a file that is applied again whenever it changes. */
export type FunctionFile = Readonly<{
  kind: 'function' | 'trigger';
  /** Name of the function or trigger, and of its file: `drop_oldest` is in `functions/drop_oldest.sql`. */
  name: string;
  sql: string;
  checksum: string;
  /** Functions that must exist before this one, from the line `-- requires: a, b`. */
  requires: readonly string[];
}>;

export type FunctionFiles = Readonly<{
  /** Grows with every change of a file. A program never replaces functions of a higher revision. */
  revision: number;
  /** Checksum of all files together when the revision was given. */
  revisionChecksum: string;
  /** In order of creation: functions after those they require, then triggers. */
  files: readonly FunctionFile[];
}>;

/** Holds the revision and the checksum of all files together. Written by write-schema.ts. */
export const REVISION_FILE = 'functions/revision.txt';

/** Reads the functions and triggers in `directory`; none and revision 0 without such folders. */
export async function loadFunctionFiles(directory: string): Promise<FunctionFiles> {
  const functions = await readFolder(join(directory, 'functions'), 'function');
  const triggers = await readFolder(join(directory, 'triggers'), 'trigger');
  const path = join(directory, REVISION_FILE);
  const [revision = '0', revisionChecksum = ''] = existsSync(path)
    ? (await readFile(path, 'utf8')).trim().split(' ')
    : [];
  return { revision: Number(revision), revisionChecksum, files: [...inOrder(functions), ...triggers] };
}

/** One function or trigger from its file name and text. A file that holds anything else is a bug. */
export function parseFunctionFile(kind: FunctionFile['kind'], fileName: string, text: string): FunctionFile {
  const name = fileName.replace(/\.sql$/, '');
  const sql = withUnixLineEnds(text);
  const created = [...sql.matchAll(/^create or replace (\w+) (\w+)/gm)];
  if (created.length !== 1 || created[0]?.[1] !== kind || created[0][2] !== name || !sql.startsWith('-- ')) {
    throw new AppError(
      'internal',
      `${kind}s/${fileName} should begin with a comment and hold one statement: create or replace ${kind} ${name}.`,
    );
  }
  const requires = /^-- requires: (.*)$/m.exec(sql)?.[1]?.split(', ') ?? [];
  return { kind, name, sql, checksum: checksumOf(sql), requires };
}

/** The text of the revision file for these files: unchanged, or with the next revision when they have changed. */
export function nextRevision({ revision, revisionChecksum, files }: FunctionFiles): string {
  const checksum = checksumOfAll(files);
  return `${checksum === revisionChecksum ? revision : revision + 1} ${checksum}\n`;
}

function checksumOfAll(files: readonly FunctionFile[]): string {
  const hash = createHash('sha256');
  for (const line of files.map((file) => `${file.kind} ${file.name} ${file.checksum}\n`).toSorted()) {
    hash.update(line);
  }
  return hash.digest('hex');
}

/** Functions after those they require, otherwise by name. */
function inOrder(files: readonly FunctionFile[]): FunctionFile[] {
  const ordered: FunctionFile[] = [];
  let waiting = [...files];
  while (waiting.length > 0) {
    const done = new Set(ordered.map(({ name }) => name));
    const ready = waiting.filter(({ requires }) => requires.every((name) => done.has(name)));
    if (ready.length === 0) {
      const names = waiting.map(({ name }) => name).join(', ');
      throw new AppError(
        'internal',
        `These functions require each other, or one that has no file: ${names}.`,
      );
    }
    ordered.push(...ready);
    waiting = waiting.filter((file) => !ready.includes(file));
  }
  return ordered;
}

async function readFolder(folder: string, kind: FunctionFile['kind']): Promise<FunctionFile[]> {
  const names = existsSync(folder) ? await readdir(folder) : [];
  return Promise.all(
    names
      .filter((name) => name.endsWith('.sql'))
      .toSorted()
      .map(async (name) => parseFunctionFile(kind, name, await readFile(join(folder, name), 'utf8'))),
  );
}
