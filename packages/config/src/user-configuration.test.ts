import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { hostname, tmpdir, userInfo } from 'node:os';
import { dirname, join } from 'node:path';
import {
  localUserOf,
  readUserConfiguration,
  userConfigurationPath,
  writeUserSetting,
} from './user-configuration.ts';

let folder: string;
let environment: Record<string, string>;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'factmill-user-'));
  environment = { XDG_CONFIG_HOME: folder };
});
afterEach(() => rmSync(folder, { recursive: true }));

function write(text: string): void {
  const path = userConfigurationPath(environment);
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, text);
}

describe('a person’s own configuration', () => {
  test.each([
    [{ XDG_CONFIG_HOME: '/etc/xdg', HOME: '/home/ada' }, '/etc/xdg/factmill/config.json'],
    [{ XDG_CONFIG_HOME: 'relative', HOME: '/home/ada' }, '/home/ada/.config/factmill/config.json'],
    [{ HOME: '/home/ada' }, '/home/ada/.config/factmill/config.json'],
  ])('with %j is %s', (given, path) => {
    expect(userConfigurationPath(given)).toBe(path);
  });

  test('keeps what is set, for its owner only, until it is unset', () => {
    expect(readUserConfiguration(environment)).toEqual({});
    const path = writeUserSetting(environment, 'user_id', 'steve');
    writeUserSetting(environment, 'url', 'http://127.0.0.1:9000');
    expect(readUserConfiguration(environment)).toEqual({ user_id: 'steve', url: 'http://127.0.0.1:9000' });
    expect(statSync(path).mode & 0o777).toBe(0o600);
    expect(readFileSync(path, 'utf8')).toMatch(/\n$/);
    writeUserSetting(environment, 'user_id', null);
    expect(readUserConfiguration(environment)).toEqual({ url: 'http://127.0.0.1:9000' });
  });

  test.each([
    ['user_id', '', /^user_id must be 1 to 256 printable characters\.$/],
    ['user_id', 'a\u0007b', /^user_id must be/],
    ['url', 'ftp://host', /^url must be an http or https address\.$/],
  ] as const)('refuses %s = %j', (key, value, sentence) => {
    expect(() => writeUserSetting(environment, key, value)).toThrow(sentence);
    expect(readUserConfiguration(environment)).toEqual({});
  });

  test.each(['no JSON', '[]', '{"user_id": 5}', '{"colour": "hidden"}'])(
    'is not used when it is %s',
    (text) => {
      write(text);
      expect(() => readUserConfiguration(environment)).toThrow(/cannot be used: it is to be a JSON object/);
      expect(() => readUserConfiguration(environment)).not.toThrow(/hidden/);
      expect(() => writeUserSetting(environment, 'user_id', 'steve')).toThrow(/cannot be used/);
      expect(readFileSync(userConfigurationPath(environment), 'utf8')).toBe(text);
    },
  );
});

describe('the user of a local client (A20)', () => {
  const user = (told?: string, hasKey = false) => localUserOf(environment, { told, hasKey });

  test('is who is told, then who is configured, then who the environment names', () => {
    environment['DEFAULT_USER_ID'] = 'of the environment';
    expect(user()).toBe('of the environment');
    writeUserSetting(environment, 'user_id', 'steve');
    expect(user()).toBe('steve');
    expect(user('maya')).toBe('maya');
    expect(user(undefined, true)).toBe('steve');
  });

  test('without any of them is hostname:username, but nobody is guessed when there is a key', () => {
    expect(user()).toBe(`${hostname()}:${userInfo().username}`);
    expect(user(undefined, true)).toBeUndefined();
  });
});
