import { afterAll, expect, test } from '@jest/globals';
import { isAppError } from '@factmill/errors';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { SECRET_NAMES } from './environment.ts';
import type { RawEnvironment } from './parse-environment.ts';
import { FILE_NAMES, readSecretFiles } from './secret-files.ts';

const folder = mkdtempSync(join(tmpdir(), 'factmill-secrets-'));
afterAll(() => rmSync(folder, { recursive: true }));

function fileOf(text: string): string {
  const path = join(folder, 'secret');
  writeFileSync(path, text);
  return path;
}

function problemsOf(raw: RawEnvironment): Record<string, string> {
  try {
    readSecretFiles(raw);
  } catch (error) {
    if (!isAppError(error)) throw error;
    expect(error.code).toBe('config_invalid');
    expect(error.message).not.toContain(folder);
    return Object.fromEntries(error.fields.map(({ field, message }) => [field, message]));
  }
  return {};
}

test('keys, passwords and addresses that may hold one can be in files', () => {
  expect(SECRET_NAMES).toEqual(
    expect.arrayContaining(['DATABASE_URL', 'DATABASE_PASSWORD', 'REDIS_URL', 'REDIS_PASSWORD']),
  );
  const keys = ['ADMIN_API_KEY', 'LLM_API_KEY', 'CHAT_API_KEY', 'EMBEDDING_API_KEY', 'RERANK_API_KEY'];
  expect(SECRET_NAMES).toEqual(expect.arrayContaining([...keys, 'CHAT_UPSTREAMS']));
  expect(FILE_NAMES).toContain('FACTMILL_API_KEY_FILE');
});

test.each([
  ['key', 'key'],
  ['key\n', 'key'],
  ['key\r\n', 'key'],
  [' two words \n\n', ' two words \n'],
])('the file %j holds %j', (text, secret) => {
  const path = fileOf(text);
  const raw = { LLM_API_KEY_FILE: path, LLM_API_KEY: '', PRESET: 'tiered' };
  expect(readSecretFiles(raw)).toEqual({ LLM_API_KEY_FILE: path, LLM_API_KEY: secret, PRESET: 'tiered' });
});

test('an environment without files is as it was', () => {
  const raw = { LLM_API_KEY: 'key', LLM_API_KEY_FILE: '', REDIS_URL_FILE: undefined };
  expect(readSecretFiles(raw)).toEqual(raw);
});

test('every file that cannot be used is named with the reason, and nothing of its name or content', () => {
  expect(
    problemsOf({
      LLM_API_KEY: 'key',
      LLM_API_KEY_FILE: fileOf(''),
      CHAT_API_KEY_FILE: fileOf(''),
      DATABASE_URL_FILE: join(folder, 'missing'),
      REDIS_PASSWORD_FILE: folder,
    }),
  ).toEqual({
    LLM_API_KEY_FILE: 'must not be set together with LLM_API_KEY',
    CHAT_API_KEY_FILE: 'names an empty file',
    DATABASE_URL_FILE: 'names a file that this process cannot read (ENOENT)',
    REDIS_PASSWORD_FILE: 'names a file that this process cannot read (EISDIR)',
  });
});
