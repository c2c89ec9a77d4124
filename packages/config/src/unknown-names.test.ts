import { readFileSync } from 'node:fs';
import { expect, test } from '@jest/globals';
import { ENVIRONMENT_NAMES } from './environment.ts';
import { FILE_NAMES } from './secret-files.ts';
import { findUnknownNames, OTHER_NAMES } from './unknown-names.ts';

test.each([
  ['LLM_MODLE', 'LLM_MODEL'],
  ['PRESETT', 'PRESET'],
  ['GATEWAYPORT', 'GATEWAY_PORT'],
  ['llm_base_url', 'LLM_BASE_URL'],
  ['DATABSE_URL', 'DATABASE_URL'],
  ['LOGLEVEL', 'LOG_LEVEL'],
  ['EMBEDING_PROVIDER', 'EMBEDDING_PROVIDER'],
  ['ADMIN_APIKEY', 'ADMIN_API_KEY'],
  ['LLM_API_KEY_FLIE', 'LLM_API_KEY_FILE'],
])('%s was meant to be %s', (name, meant) => {
  expect(findUnknownNames([], [name])).toEqual([`${name} is not a setting; did you mean ${meant}?`]);
  expect(findUnknownNames([name], [name])).toEqual([
    `${name} in .env is not a setting; did you mean ${meant}?`,
  ]);
});

test('what begins like a setting is named, and in .env every unknown name', () => {
  const unknown = ['LLM_FAVOURITE_COLOUR', 'CHAT_WITH_ME_PLEASE'];
  expect(findUnknownNames([], unknown)).toEqual(
    unknown.map((name) => `${name} is not a setting; .env.example has all.`),
  );
  expect(findUnknownNames(['MY_OWN'], [])).toEqual([
    'MY_OWN in .env is not a setting; .env.example has all.',
  ]);
});

test('only secrets can be in files', () => {
  expect(findUnknownNames([], ['PRESET_FILE'])).toEqual([
    'PRESET_FILE is not a setting; .env.example has all.',
  ]);
});

test('settings and the variables of other programs are passed over', () => {
  const others =
    `HOME PATH HOSTNAME USER SHELL TERM LANG LC_ALL PWD TZ NODE_OPTIONS npm_config_cache HTTP_PROXY
    NO_PROXY PORT MAIL EDITOR OTEL_SERVICE_NAME GATEWAY_SERVICE_HOST GATEWAY_PORT_8080_TCP_ADDR CI PGHOST DEBUG
    XDG_DATA_DIRS AWS_REGION LOGNAME DISPLAY`.split(/\s+/);
  expect(findUnknownNames([], [...others, ...ENVIRONMENT_NAMES, ...FILE_NAMES])).toEqual([]);
  expect(findUnknownNames([...ENVIRONMENT_NAMES, ...OTHER_NAMES, 'OTEL_SERVICE_NAME'], [])).toEqual([]);
});

test('the names that only docker-compose.yml has are known', () => {
  const compose = readFileSync(new URL('../../../docker-compose.yml', import.meta.url), 'utf8');
  const names = new Set([...compose.matchAll(/\$\{([A-Z_]+)/g)].map(([, name = '']) => name));
  expect(names.size).toBeGreaterThan(5);
  expect(findUnknownNames([...names], [])).toEqual([]);
});
