import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test } from '@jest/globals';
import { readDotEnv } from './dot-env.ts';

const folder = mkdtempSync(join(tmpdir(), 'factmill-env-'));
afterAll(() => rmSync(folder, { recursive: true }));

function fileOf(text: string | Buffer): string {
  const path = join(folder, '.env');
  writeFileSync(path, text);
  return path;
}

test('no file is no variables', () => {
  expect(readDotEnv(join(folder, 'missing'))).toEqual({});
});

test('comments, quotes over several lines, export, a byte order mark', () => {
  const text = `\uFEFF# ours
A=1
  export B = 'two words' # why

EMPTY=
C="first
not an assignment
last"
D=it's
E=\`x\`\r
`;
  expect(readDotEnv(fileOf(text))).toEqual({
    A: '1',
    B: 'two words',
    EMPTY: '',
    C: 'first\nnot an assignment\nlast',
    D: "it's",
    E: 'x',
  });
});

test.each([
  ['prose', 'A=1\nhidden words\n', 2],
  ['YAML', '# settings\nhidden: words\n', 2],
  ['JSON', '{"hidden": "words"}', 1],
  ['a program', Buffer.from([0x7f, 0x45, 0x4c, 0x46, 0, 1, 2, 0xff, 0xfe]), 1],
  ['UTF-16', Buffer.from('A=hidden\n', 'utf16le'), 1],
  ['a name with a hyphen', 'hidden-name=1', 1],
])('%s is named by its line, without what it says', (_, text, line) => {
  const read = () => readDotEnv(fileOf(text));
  expect(read).toThrow(`.env cannot be used: line ${line} is not NAME=value, a comment or empty.`);
});

test('a folder is one sentence', () => {
  mkdirSync(join(folder, 'folder'));
  expect(() => readDotEnv(join(folder, 'folder'))).toThrow('.env is a folder');
});

test('what cannot be read is one sentence', () => {
  const path = join(fileOf('A=1'), '.env');
  expect(() => readDotEnv(path)).toThrow('.env cannot be read (ENOTDIR); check who may read the file.');
});
