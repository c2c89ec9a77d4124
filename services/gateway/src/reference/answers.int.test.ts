import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { OPERATIONS } from '@factmill/contracts';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { type GatewayUnderTest, startGateway } from '../gateway.fixture.ts';

type Json = Record<string, unknown>;
type Described = Readonly<{ responses: Record<string, { content?: Record<string, { schema: Json }> }> }>;
type Document = Readonly<{
  paths: Record<string, Record<string, Described>>;
  components: { schemas: Record<string, Json> };
}>;

let gateway: GatewayUnderTest;
let document: Document;
beforeAll(async () => {
  gateway = await startGateway({ AUTH: 'none' });
  document = (await (await fetch(`${gateway.url}/openapi.json`)).json()) as Document;
});
afterAll(() => gateway.close());

/** Requests that say nothing of a user. Each would work with one. */
const REQUESTS: readonly (readonly [string, string, Json?])[] = [
  ['get', '/v1/conversations'],
  ['post', '/v1/conversations', { id: 'c3' }],
  ['post', '/v1/extractions', { messages: [{ role: 'user', content: 'I live in Oslo.' }] }],
  ['post', '/v1/conversations/c1/messages', { messages: [{ role: 'user', content: 'I live in Oslo.' }] }],
  ['post', '/v1/memories/import', { source: 'notes', items: [{ id: '1', content: 'Lives in Oslo' }] }],
  ['get', '/v1/memories'],
  ['post', '/v1/memories', { content: 'Lives in Oslo' }],
  ['post', '/v1/memories/batch', { memories: [{ content: 'Lives in Oslo' }] }],
  ['delete', '/v1/memories?key=home'],
  ['get', '/v1/documents'],
  ['post', '/v1/documents', { content: 'A text.' }],
  ['get', '/v1/summary'],
  ['put', '/v1/summary', { content: 'A text.' }],
  ['get', '/v1/profile'],
  ['get', '/v1/stats'],
  ['post', '/v1/compressions', { kind: 'daily' }],
  ['post', '/v1/tools/memory', { action: 'list' }],
];

/** `/v1/conversations/c1/messages?limit=1` → `/v1/conversations/{id}/messages`. */
const documented = (path: string) => path.replace(/\?.*/, '').replace(/\/c\d\//, '/{id}/');
const withUser = (path: string) => `${path}${path.includes('?') ? '&' : '?'}user_id=maya`;

async function send(method: string, path: string, body?: Json): Promise<Response> {
  return fetch(`${gateway.url}${path}`, {
    method: method.toUpperCase(),
    ...(body === undefined
      ? {}
      : { headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) }),
  });
}

/** What the reference says against an answer. */
async function faultsOf(method: string, path: string, response: Response): Promise<unknown> {
  const [type = ''] = (response.headers.get('content-type') ?? '').split(';');
  const described = document.paths[documented(path)]?.[method];
  const content = described?.responses[response.status]?.content;
  const schema = content?.[type]?.schema;
  if (schema === undefined) return `${response.status} ${type} is not described`;
  const validate = new Ajv2020({ strict: false, validateFormats: false }).compile({
    ...schema,
    components: document.components,
  });
  return validate(await response.json()) ? [] : validate.errors;
}

describe.each(REQUESTS)('%s %s answers as the reference says', (method, path, body) => {
  test('to nobody', async () => {
    const response = await send(method, path, body);
    expect(await response.clone().json()).toMatchObject({ skipped: { reason: 'unknown_user' } });
    expect(await faultsOf(method, path, response)).toEqual([]);
  });

  test('to a user, also when it is asked again', async () => {
    const ask = () =>
      body === undefined ? send(method, withUser(path)) : send(method, path, { ...body, user_id: 'maya' });
    for (const response of [await ask(), await ask()]) {
      expect(response.ok).toBe(true);
      expect(await faultsOf(method, path, response)).toEqual([]);
    }
  });
});

test.each([
  ['/v1/retention/runs', { dry_run: true }],
  ['/v1/replays', { dry_run: true, all_users: true }],
])('a dry run of %s answers as the reference says', async (path, body) => {
  const response = await send('post', path, body);
  expect(response.status).toBe(200);
  expect(await faultsOf('post', path, response)).toEqual([]);
});

test('so do they for a user whose memory is off', async () => {
  await send('post', '/v1/conversations', { id: 'c2', user_id: 'noah' });
  await send('patch', '/v1/users/noah', { memory: false });
  const messages = [{ role: 'user', content: 'I live in Oslo.' }];
  for (const [path, body] of [
    ['/v1/extractions', { messages }],
    ['/v1/conversations/c2/messages', { messages }],
    ['/v1/conversations/c2/flush', {}],
  ] as const) {
    const response = await send('post', path, { ...body, user_id: 'noah' });
    expect(await response.clone().json()).toMatchObject({ skipped: { reason: 'memory_off' } });
    expect(await faultsOf('post', path, response)).toEqual([]);
  }
});

test('every operation that may skip is asked', () => {
  const asked = REQUESTS.map(([method, path]) => `${method} ${documented(path)}`);
  for (const { method, path, maySkip } of OPERATIONS) {
    // Nobody has no conversation to flush.
    if (maySkip === true && !path.endsWith('/flush')) expect(asked).toContain(`${method} ${path}`);
  }
});

test('a method that a path does not take is refused, with those that it takes', async () => {
  for (const path of ['/health', '/readyz', '/mcp', '/v1/chat/completions', '/v1/memories']) {
    const response = await send('patch', path);
    expect([path, response.status]).toEqual([path, 405]);
    expect(response.headers.get('allow')).toMatch(/GET|POST/);
  }
});
