import { afterEach, beforeEach, expect, test } from '@jest/globals';
import { announceInstance } from '@factmill/runtime';
import { writeUserSetting } from '@factmill/config';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { findSomeTarget, findTarget } from './find-target.ts';

let folder: string;
let environment: Record<string, string>;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'factmill-target-'));
  environment = {
    XDG_CONFIG_HOME: folder,
    DATA_DIR: folder,
    ADMIN_API_KEY: 'an-admin-key-that-is-long-enough',
  };
});
afterEach(() => rm(folder, { recursive: true }));

const LOCAL = 'http://127.0.0.1:8080';

test('each place to look goes before the next', async () => {
  expect(findTarget(undefined, environment)).toBeNull();
  await announceInstance(folder, LOCAL);
  const ofAdmin = { kind: 'api', url: LOCAL, apiKey: environment['ADMIN_API_KEY'] };
  expect(findTarget(undefined, environment)).toEqual(ofAdmin);
  expect(findTarget(undefined, { ...environment, FACTMILL_API_KEY: 'fm_key' })).toEqual({
    ...ofAdmin,
    apiKey: 'fm_key',
  });
  writeUserSetting(environment, 'url', 'https://own.test');
  expect(findTarget(undefined, environment)).toEqual({
    kind: 'api',
    url: 'https://own.test',
    apiKey: undefined,
  });
  environment['DATABASE_URL'] = 'postgres://localhost/x';
  expect(findTarget(undefined, environment)).toEqual({ kind: 'database' });
  environment['FACTMILL_URL'] = 'https://env.test';
  expect(findTarget(undefined, environment)).toMatchObject({ url: 'https://env.test', apiKey: undefined });
  expect(findTarget('https://told.test', environment)).toMatchObject({ url: 'https://told.test' });
});

test('nothing to work on, and an address that is none, are one sentence', () => {
  expect(() => findSomeTarget(undefined, environment)).toThrow(
    /^No running instance was found in the data folder/,
  );
  expect(() => findTarget('ftp://x', environment)).toThrow(/^--url has to be an http or https address/);
});
