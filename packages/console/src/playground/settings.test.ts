import { execFileSync } from 'node:child_process';
import { expect, test } from '@jest/globals';
import { parseSetting, toContextBody, toSearchBody } from './settings.ts';
import { toCurl, toTypeScript } from './snippets.ts';

const ASKED = { query: 'Where?', user: 'ana', canReadAll: true };

test('an empty setting asks for the defaults of the service', () => {
  expect(toSearchBody(ASKED, parseSetting({}, 'a'))).toEqual({
    query: 'Where?',
    user_id: 'ana',
    explain: true,
  });
  expect(toSearchBody({ ...ASKED, user: '' }, parseSetting({}, 'a'))).toMatchObject({ all_users: true });
  expect(toSearchBody({ ...ASKED, user: '', canReadAll: false }, parseSetting({}, 'a'))).toEqual({
    query: 'Where?',
    explain: true,
  });
});

test('each side has its own fields in the address', () => {
  const search = {
    mode: 'vector',
    limit: '3',
    b_mode: 'classic',
    b_rerank: 'false',
    b_tag: 'x',
    b_as_of: '2026-04-01',
  };
  expect(toSearchBody(ASKED, parseSetting(search, 'a'))).toMatchObject({ mode: 'vector', limit: 3 });
  expect(toSearchBody(ASKED, parseSetting(search, 'b'))).toMatchObject({
    mode: 'classic',
    rerank: false,
    filters: { tags: ['x'] },
    as_of: '2026-04-01T00:00:00.000Z',
  });
});

test('a context takes what it knows of a setting', () => {
  const setting = parseSetting(
    { mode: 'fused', token_budget: '300', rerank: 'true', kind: 'qa', scope: 'c1' },
    'a',
  );
  expect(toContextBody(ASKED, setting)).toEqual({
    query: 'Where?',
    user_id: 'ana',
    format: 'section',
    mode: 'fused',
    token_budget: 300,
    conversation_id: 'c1',
    filters: { kinds: ['qa'] },
    explain: true,
  });
});

test('no text breaks out of the curl command', () => {
  const query = `it's "$(touch /tmp/x)" \\ \`id\` \n end`;
  const command = toCurl('http://h', '/v1/x', { query }, true).replace(/^curl/, `printf '%s\\0'`);
  const words = execFileSync('sh', ['-c', command], { env: { FACTMILL_API_KEY: 'k' } })
    .toString()
    .split('\0');
  expect(words.slice(0, -1)).toEqual([
    '-s',
    'http://h/v1/x',
    '-H',
    'Content-Type: application/json',
    '-H',
    'Authorization: Bearer k',
    '-d',
    JSON.stringify({ query }),
  ]);
});

test('the TypeScript names the key without showing it', () => {
  const code = toTypeScript('http://h', 'memories.search', { query: 'a' }, true);
  expect(code).toContain('apiKey: process.env.FACTMILL_API_KEY');
  expect(code).toContain('factmill.memories.search({\n  "query": "a"\n})');
  expect(toTypeScript('http://h', 'context', {}, false)).not.toContain('apiKey');
});
