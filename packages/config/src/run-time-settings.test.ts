import { describe, expect, test } from '@jest/globals';
import { loadConfig } from './load-config.ts';
import {
  assertFits,
  findRunTimeSetting,
  listRunTimeSettings,
  parseSettingValue,
} from './run-time-settings.ts';

const config = loadConfig({
  CHAT_BASE_URL: 'http://chat.test',
  CHAT_MEMORY: 'true',
  QUEUE_LIMIT: '7',
  CHAT_UPSTREAMS: '[{"name":"local","base_url":"http://x.test","models":["llama*"]}]',
});

describe('settings of run time', () => {
  test('have the value of the environment until they are changed', () => {
    expect(
      Object.fromEntries(listRunTimeSettings(config).map(({ key, configured }) => [key, configured])),
    ).toEqual({
      'queue.limit': 7,
      'queue.tenant_limit': 0,
      'retry.strategy': 'fixed',
      'retry.interval_ms': 5_000,
      'retry.max_interval_ms': 300_000,
      'extraction.enabled': true,
      'chat.memory.local': 'of-preset',
      'chat.memory.default': true,
    });
  });

  test('their configured values fit their own rules', () => {
    for (const setting of listRunTimeSettings(config)) assertFits(setting, setting.configured);
  });

  test.each([
    ['queue.limit', -1],
    ['queue.limit', 1.5],
    ['queue.limit', '60'],
    ['retry.interval_ms', 0],
    ['retry.strategy', 'sometimes'],
    ['extraction.enabled', 'true'],
    ['chat.memory.local', 1],
  ])('%s is not %j', (key, value) => {
    expect(() => assertFits(findRunTimeSetting(config, key), value)).toThrow(`${key} must be `);
  });

  test.each(['constructor', 'chat.memory.other', 'QUEUE_LIMIT', ''])('there is none called %j', (key) => {
    expect(() => findRunTimeSetting(config, key)).toThrow(/no setting of this name; known are queue\.limit/);
  });

  test.each([
    ['60', 60],
    ['true', true],
    ['false', false],
    ['fixed', 'fixed'],
    ['1e3', '1e3'],
    ['', ''],
  ])('%j on a command line is %j', (text, value) => {
    expect(parseSettingValue(text)).toBe(value);
  });
});
