import { ENVIRONMENT_NAMES } from '@factmill/config';
import { expect, test } from '@jest/globals';
import { listSettingsInForce } from './settings-in-force.ts';

function inForce(environment: Record<string, string>, dotEnv = {}, settings = {}) {
  const list = listSettingsInForce({ environment: { ...dotEnv, ...environment }, dotEnv, settings });
  expect(list.map(({ name }) => name)).toEqual(ENVIRONMENT_NAMES);
  return Object.fromEntries(list.map(({ name, value, source }) => [name, `${value} | ${source}`]));
}

test('every setting has its value and where it comes from', () => {
  const dotEnv = { LLM_MODEL: 'small', LLM_BASE_URL: 'http://model.test', QUEUE_PREFIX: 'ours' };
  expect(
    inForce({ QUEUE_PREFIX: 'theirs', HOST: '0.0.0.0' }, dotEnv, {
      'retry.interval_ms': 7,
      'queue.limit': 0,
    }),
  ).toMatchObject({
    LLM_MODEL: 'small | .env',
    QUEUE_PREFIX: 'theirs | environment',
    RETRY_INTERVAL_MS: '7 | config set, at run time',
    QUEUE_LIMIT: '0 | config set, at run time',
    MAX_ATTEMPTS: '5 | default',
    AUTH: 'required | default',
    CHAT_BASE_URL: 'http://model.test/v1 | default',
    EMBEDDING_PROVIDER: 'local | default',
    REDIS_URL: 'not set | default',
  });
});

test('a secret from a file has the variable that names the file as its origin', () => {
  const environment = { LLM_API_KEY: 'hidden', LLM_API_KEY_FILE: '/run/secrets/llm', ADMIN_API_KEY_FILE: '' };
  expect(inForce({ ...environment, DATABASE_PASSWORD: 'hidden' })).toMatchObject({
    LLM_API_KEY: '(hidden) | LLM_API_KEY_FILE',
    DATABASE_PASSWORD: '(hidden) | environment',
    ADMIN_API_KEY: 'not set | default',
  });
});

test('no key or password is shown', () => {
  const shown = inForce({
    DATABASE_URL: 'postgres://user:hidden-a@host:5432/db?password=hidden-b',
    REDIS_URL: 'redis://:hidden-c@host:6379',
    ADMIN_API_KEY: 'hidden-d-hidden-d-hidden-d',
    LLM_BASE_URL: 'https://user:hidden-e@model.test/v1',
    LLM_MODEL: 'small',
    LLM_API_KEY: 'hidden-f',
    EMBEDDING_MODEL: 'vectors',
    RERANK_API_KEY: 'hidden-g',
    CHAT_UPSTREAMS:
      '[{"name":"x","base_url":"http://x.test","api_key":"hidden-h","models":["x"],"memory":false}]',
  });
  expect(JSON.stringify(shown)).not.toMatch(/hidden-/);
  const nodes = inForce({ REDIS_URL: 'redis://u:hidden-c@a:1,b:2', REDIS_MODE: 'cluster' });
  expect(nodes).toMatchObject({ REDIS_URL: 'redis://(hidden)@a:1,b:2 | environment' });
  expect(shown).toMatchObject({
    DATABASE_URL: 'postgres://user:(hidden)@host:5432/db?(hidden) | environment',
    ADMIN_API_KEY: '(hidden) | environment',
  });
});
